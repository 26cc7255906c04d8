package import HearthModel

/// Names a watch stream within a run. The shell gives the numbers.
package struct StreamID: Hashable, Comparable, Sendable {
    /// A number that no other open stream has.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// What a client asks to watch.
package struct WatchRequest: Sendable {
    /// What is watched.
    package enum Subject: Sendable {
        /// The results of a query. A query with an offset is refused.
        case query(StructuredQuery)
        /// Documents by name; a document that is named twice counts once.
        case documents([DocumentKey])
        /// Something that cannot be read; the target ends with this error.
        case unreadable(HearthError)
    }

    /// The client's name for the target; 0 lets the backend choose.
    package let targetID: WireTargetID
    /// What is watched.
    package let subject: Subject
    /// Where to resume.
    package var resumePoint = ResumePoint.start
    /// How many documents the client holds; only with a resume point.
    package var expectedCount: Int?
    /// Whether the target ends when all has been said once.
    package var once = false

    /// Asks to watch something from the start.
    package init(targetID: WireTargetID, subject: Subject) {
        self.targetID = targetID
        if case .documents(let keys) = subject {
            var seen: Set<DocumentKey> = []
            self.subject = .documents(keys.filter { seen.insert($0).inserted })
        } else {
            self.subject = subject
        }
    }
}

/// One target of one stream.
struct Subscription: Hashable, Comparable, Sendable {
    let stream: StreamID
    let target: WireTargetID

    static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.stream != rhs.stream ? lhs.stream < rhs.stream : lhs.target < rhs.target
    }
}

/// A target's news of a document.
struct WatchNews: Equatable, Sendable {
    /// The document as it is now.
    let document: Document
    /// Whether the document belongs to the target now; if not, the document has left the target.
    let isMember: Bool
    /// Whether the document itself has changed, and not only its place in a limit's window.
    let isChanged: Bool
}
