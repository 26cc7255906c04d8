import HearthEngine
import HearthModel
import HearthWire

/// The steps in the history of a document on this machine, the newest first.
///
/// Fetched from the daemon in parts, as the loop asks for them. Each loop begins anew.
public struct DocumentHistory: AsyncSequence, Sendable {
    let reference: DocumentReference
    let since: Timestamp?

    /// Begins with the newest step.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The steps that are left.
    public struct Iterator: AsyncIteratorProtocol {
        private let reference: DocumentReference
        private var question: HistoryQuestion
        /// Steps that were fetched, the next one last.
        private var fetched: [DocumentVersion] = []
        private var hasMore = true

        init(_ history: DocumentHistory) {
            reference = history.reference
            question = HistoryQuestion(of: reference.key, since: history.since?.model)
        }

        /// The next older step; `nil` after the oldest.
        ///
        /// - Throws: `FirestoreError`: `permissionDenied` without the right to read the document,
        ///   `unavailable` if no daemon answers or its store cannot be read.
        public mutating func next() async throws -> DocumentVersion? {
            if fetched.isEmpty, hasMore {
                let page = try await reference.historyPage(question)
                fetched = page.entries.reversed().map { DocumentVersion($0, of: reference) }
                hasMore = page.hasMore && !fetched.isEmpty
                question.before = page.entries.last?.number
            }
            return fetched.popLast()
        }
    }
}

extension DocumentReference {
    /// What became of the document on this machine, the newest step first.
    ///
    /// A daemon without `[history]` has noted nothing. A user who may read the document may also
    /// read its history, and so learns who on this machine wrote to the document.
    ///
    ///     for try await version in room.history() where version.event == .accepted {
    ///         print(version.notedAt, version.write!.writer)
    ///     }
    ///
    /// - Parameter since: Only steps that the machine noted then or later.
    public func history(since: Timestamp? = nil) -> DocumentHistory {
        DocumentHistory(reference: self, since: since)
    }

    /// What the document was on this machine at a time, by the machine's own clock.
    ///
    /// Writes that waited then are part of the document.
    ///
    /// - Throws: `FirestoreError`: `notFound` if nobody knows what the document was then,
    ///   `permissionDenied` without the right to read the document, `unavailable` if no daemon
    ///   answers or its store cannot be read.
    public func getDocument(at time: Timestamp) async throws -> DocumentSnapshot {
        let version = try await version(at: time)
        guard let version, version.state == .found || version.state == .missing else {
            throw FirestoreError(
                .notFound,
                "It is not known what \(path) was at \(time). The daemon notes what becomes of "
                    + "documents while [history] isKept is true.")
        }
        return version.snapshot
    }

    /// The step that tells the document's content on this machine at a time; `nil` if the daemon
    /// does not know that content.
    ///
    /// - Throws: As `getDocument(at:)`, but for `notFound`.
    public func version(at time: Timestamp) async throws -> DocumentVersion? {
        let page = try await historyPage(HistoryQuestion(of: key, at: time.model))
        return page.entries.first.map { DocumentVersion($0, of: self) }
    }

    fileprivate func historyPage(_ question: HistoryQuestion) async throws -> HistoryPage {
        let desk = firestore.operatorDesk
        let answer = try await desk.inquire(.history(question))
        guard case .history(let page) = answer else { throw desk.unexpected(answer) }
        return page
    }
}
