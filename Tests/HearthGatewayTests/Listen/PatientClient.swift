import HearthModel

@testable import HearthGateway

/// What the four server clients do with the messages of a watch stream.
///
/// The client keeps a map of names and snapshots, ignores a document whose update time it has
/// already, and tells the program of changes at a NO_CHANGE without targets once the target is
/// current.
struct PatientClient {
    /// Python compares times at microseconds.
    struct Shown: Equatable {
        let time: Int64
        let document: Document
    }

    private(set) var shown: [DocumentKey: Shown] = [:]
    /// How often the program was told of something.
    private(set) var eventCount = 0
    /// Documents that were sent.
    private(set) var documentCount = 0
    private(set) var resetCount = 0
    private(set) var token: [UInt8]?
    private(set) var readTimes: [Timestamp] = []
    private(set) var removals: [ListenMessage] = []
    private var changes: [DocumentKey: Document?] = [:]
    private var isCurrent = false
    private var hasTold = false
    /// Whether changes without their NO_CHANGE outlive the stream, as in Python.
    let keepsParts: Bool

    init(keepsParts: Bool = true) {
        self.keepsParts = keepsParts
    }

    /// The stream is gone; the client asks again.
    ///
    /// Without a token the client has nothing for certain, and is told all. (A client that keeps
    /// parts even then shows documents that were deleted meanwhile, behind any server.)
    mutating func lostStream() {
        if token == nil {
            changes = shown.mapValues { _ in nil }
        } else if !keepsParts {
            changes = [:]
        }
        isCurrent = false
    }

    mutating func received(_ message: ListenMessage) {
        switch message {
        case .added, .alive, .ended: break
        case .reset:
            resetCount += 1
            token = nil
            changes = shown.mapValues { _ in nil }
        case .changed(let document, _, _):
            documentCount += 1
            changes[document.key] = .some(document)
        case .told(let shared, _):
            documentCount += shared.documents.count
            for document in shared.documents { changes[document.key] = .some(document) }
        case .deleted(let key, _, _), .removed(let key, _, _):
            removals.append(message)
            changes[key] = .some(nil)
        case .current: isCurrent = true
        case .settled(let mark):
            readTimes.append(mark.readAt)
            guard isCurrent else { return }
            token = mark.bytes
            tell()
        }
    }

    private mutating func tell() {
        var hasChanged = !hasTold
        hasTold = true
        for (key, document) in changes {
            guard let document else {
                if shown.removeValue(forKey: key) != nil { hasChanged = true }
                continue
            }
            let time = document.updateTime.microseconds
            if shown[key]?.time == time { continue }
            shown[key] = Shown(time: time, document: document)
            hasChanged = true
        }
        changes = [:]
        if hasChanged { eventCount += 1 }
    }

    /// Whether the program sees exactly these documents.
    func shows(_ documents: DocumentSet) -> Bool {
        shown.count == documents.count
            && documents.documents.allSatisfy { shown[$0.key]?.document == $0 }
    }
}
