import Glibc

/// A thread outside Swift's pool, which may block.
enum WorkerThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Runs `body` on a new thread, which ends when `body` returns.
    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(result == 0, "No thread can be started: error \(result)")
        pthread_detach(thread)
    }
}
