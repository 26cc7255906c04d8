import NIOCore

/// A call to a server under way. Its methods may be called on any thread; too late is harmless.
package final class ClientCall: Sendable {
    private let eventLoop: any EventLoop
    private let running: NIOLoopBoundBox<RunningCall?>

    /// A call that `begin` makes when the loop comes to it.
    init(on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        running = .makeBoxSendingValue(nil, eventLoop: eventLoop)
    }

    /// Begins the call, on the loop.
    func begin(_ call: RunningCall, on channel: ChannelCore) {
        running.value = call
        call.startClock(on: eventLoop)
        channel.begin(call)
    }

    /// Sends a message, after those before it.
    package func send(_ message: [UInt8]) {
        onLoop { $0.send(message) }
    }

    /// Sends nothing more.
    package func halfClose() {
        onLoop { $0.halfClose() }
    }

    /// Lets the next message come, after `CallListener.received` said that it may not.
    package func resume() {
        onLoop { $0.resume() }
    }

    /// Ends the call at once, as `cancelled`. The listener hears of the end all the same.
    package func cancel() {
        onLoop { $0.cancel() }
    }

    private func onLoop(_ body: @escaping @Sendable (RunningCall) -> Void) {
        if eventLoop.inEventLoop {
            if let call = running.value { body(call) }
        } else {
            eventLoop.execute { [running] in
                if let call = running.value { body(call) }
            }
        }
    }
}
