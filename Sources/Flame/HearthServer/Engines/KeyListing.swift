import HearthEngine
import HearthModel
import HearthRealtime
import HearthWire
import NIOCore

/// Asks a backend of the Realtime Database for the keys right below a place, for one session.
///
/// The engine has no word for the question, so it goes through the engine's door. The answer changes nothing
/// in the cache, and has keys alone, whatever lies below them.
struct KeyListing: Sendable {
    let engine: RunningEngine
    /// The user whose question it is.
    let payer: UInt32

    /// Answers a question. The future succeeds, if only with a failure to tell.
    ///
    /// - Parameter after: The key behind which the list begins; `nil` for the first key.
    func answer(
        to page: Inquiry.ChildPage, after: ChildKey?, on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        guard case .realtime(let service) = engine.service else {
            return loop.makeSucceededFuture(.failed(.noTree))
        }
        guard engine.lifecycle.status.isNetworkEnabled else {
            return loop.makeSucceededFuture(.failed(.networkOff))
        }
        let countMax = page.countBound
        return loop.makeFutureWithTask {
            do throws(HearthError) {
                try service.questions.begin(for: payer)
                defer { service.questions.end(for: payer) }
                // One child more tells whether there is a next part.
                let children = try await service.door.children(
                    of: page.path, after: after, countMax: countMax + 1)
                return .report(.children(Self.list(children, countMax)))
            } catch {
                return .failed(error)
            }
        }
    }

    private static func list(_ children: [ListedChild], _ countMax: Int) -> Report.ChildList {
        Report.ChildList(
            children: children.prefix(countMax).map {
                Report.ChildList.Child(key: $0.key, hasChildren: $0.mayHaveChildren)
            }, hasMore: children.count > countMax)
    }
}

extension HearthError {
    fileprivate static let noTree = HearthError(
        code: .invalidArgument, message: "Places are an instance's of the Realtime Database.")
}
