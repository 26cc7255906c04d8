import HearthModel
import HearthWire
import NIOCore

/// Answers what a session asks or orders about who is signed in.
enum SignInAnswer {
    /// The answer. The future succeeds, if only with a failure to tell.
    static func answer(
        to order: SignInOrder, by service: (any SignInService)?, on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        guard let service else { return loop.makeSucceededFuture(.failed(nobody)) }
        let promise = loop.makePromise(of: Event.self)
        Task {
            do throws(HearthError) {
                promise.succeed(.signIn(try await service.carryOut(order)))
            } catch {
                promise.succeed(.failed(error))
            }
        }
        return promise.futureResult
    }

    private static let nobody = HearthError(
        code: .failedPrecondition, message: "No user can sign in or out at this daemon.")
}
