import Dispatch
import Glibc

/// Waits for the wish to stop: SIGTERM from systemd, SIGINT from a terminal, SIGHUP when it closes.
final class Signals: @unchecked Sendable {  // Dispatch sources are safe to share.
    private let sources: [any DispatchSourceSignal]
    private let stream: AsyncStream<Void>

    /// Takes the signals over from now on.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        self.stream = stream
        sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)  // Else the default action still ends the process.
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { for source in sources { source.cancel() } }

    /// Returns when the process is asked to stop.
    func stopRequested() async {
        for await _ in stream { return }
    }
}
