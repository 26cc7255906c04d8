import HearthEngine
import HearthModel

/// A one-time read whose limit has lost documents, before anybody has looked why.
///
/// Writes that wait may have taken the documents away: then the read asks for more.
struct OpenedRead: Sendable {
    /// The request.
    let id: RequestID
    /// Where the program reads.
    let source: ReadSource
    /// The backend's results for the program's query.
    let answer: ViewSnapshot
    /// The view that the answer is from; the view may have a larger limit.
    let view: View

    /// The read with a larger limit; `nil` if the first results are known all the same.
    ///
    /// The documents that the backend named and nobody has written stand where the backend has
    /// them. If these documents alone would fill the limit, no other document of the backend comes
    /// before them.
    ///
    /// - Parameter writtenCount: How many of the named documents have writes that the backend has not
    ///   told of.
    func wider(by writtenCount: Int) -> WideRead? {
        guard let limit = answer.query.limit, view.syncedKeyCount - writtenCount < limit.count
        else { return nil }
        return WideRead(id, source, instead: answer, beyond: view.query, lost: writtenCount)
    }
}
