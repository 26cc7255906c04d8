import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthWire
import NIOCore
import Synchronization

/// Asks a Firestore backend for the collections right below a document or the root, for one session.
///
/// The engine has no word for the call, so it goes through the engine's door. The answer changes nothing in
/// the cache. Google bills a read for the call, which the ledger counts.
struct BackendListing: Sendable {
    /// How long the backend may take.
    private static let timeout = Duration.seconds(20)

    let database: DatabaseID
    let engine: RunningEngine
    /// Whose question it is.
    let source: MailboxSource
    /// The number of the session in the ledger.
    let session: UInt64

    /// The answer of one message, until the call has ended.
    private final class Answer: Sendable {
        let message = Mutex<[UInt8]?>(nil)
    }

    /// Answers a question. The future succeeds, if only with a failure to tell.
    func answer(
        to page: Inquiry.CollectionPage, on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        guard case .firestore(let service) = engine.service, page.below.count.isMultiple(of: 2)
        else { return loop.makeSucceededFuture(.failed(.belowCollection)) }
        guard engine.lifecycle.status.isNetworkEnabled else {
            return loop.makeSucceededFuture(.failed(.networkOff))
        }
        let (message, parent) = FirestoreCodec(database: database).collectionIDsRequest(
            below: page.below, countMax: page.countBound)
        let request = DoorRequest(
            "ListCollectionIds", message, routing: ["parent": parent], timeout: Self.timeout)
        let promise = loop.makePromise(of: Event.self)
        let answer = Answer()
        let listener = DoorListener(
            received: { message in answer.message.withLock { $0 = message } },
            ended: { end in
                promise.succeed(
                    event(below: page.below, answer.message.withLock { $0 }, end, service))
            })
        _ = service.door.call(request, telling: listener)
        return promise.futureResult
    }

    private func event(
        below parent: ResourcePath, _ message: [UInt8]?, _ end: DoorEnd,
        _ service: RunningEngine.FirestoreService
    ) -> Event {
        if let error = end.error { return .failed(error) }
        let shape = QueryShape(of: Target(path: parent)).text + "/** (ListCollectionIds)"
        let bill = ForwardedBill(
            readCount: ReadBill.collectionList, shape: QueryShape(stored: shape))
        _ = service.inlet.submit([.bill(session: session, bill)], from: source)
        do throws(CodecError) {
            let list = try FirestoreCodec.collectionIDs(message ?? [])
            let paths = list.ids.compactMap { id in
                // A name that no path of ours can hold cannot be asked for either.
                (try? PathSegment(parsing: id)).map { parent.appending($0) }
            }
            return .report(
                .collections(Report.CollectionList(paths: paths, hasMore: list.hasMore)))
        } catch {
            return .failed(
                HearthError(code: .dataLoss, message: "The backend's list cannot be read. \(error)")
            )
        }
    }
}

extension HearthError {
    fileprivate static let belowCollection = HearthError(
        code: .invalidArgument,
        message: "The backend lists collections below a document or the root; name one of them.")
    /// The answer to a question to the backend while nobody may ask the backend.
    static let networkOff = HearthError(
        code: .unavailable,
        message: "An administrator keeps the daemon from the backend. See `hearth network`.")
}
