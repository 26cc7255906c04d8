import Dispatch
import Glibc

/// Waits for the wish to stop, SIGTERM from systemd or SIGINT from a terminal; and for SIGHUP, the wish
/// to read the configuration again.
final class Signals: @unchecked Sendable {  // Dispatch sources are safe to share.
    private let sources: [any DispatchSourceSignal]
    private let stops: AsyncStream<Void>

    /// An element for each SIGHUP; several in a row may be one.
    let hangups: AsyncStream<Void>

    /// Takes the signals over from now on.
    init() {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let (hangups, hangUp) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.stops = stops
        self.hangups = hangups
        let wanted = [(SIGTERM, stop), (SIGINT, stop), (SIGHUP, hangUp)]
        sources = wanted.map { number, continuation in
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
        for await _ in stops { return }
    }
}
