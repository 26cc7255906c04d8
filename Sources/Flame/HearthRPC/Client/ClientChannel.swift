package import NIOCore

/// Calls to one server over HTTP/2, on one event loop.
///
/// A connection is made when a call needs it, and kept while there are calls and a good while
/// longer. A call waits while a connection is being made; after a failure calls fail at once, until
/// the pause is over. Calls that the server has certainly not begun are begun anew, once.
package final class ClientChannel: Sendable {
    /// The loop of the connections, on which listeners are told.
    package let eventLoop: any EventLoop
    /// Runs the tasks that wait for answers, on the same loop.
    package let executor: LoopExecutor
    private let configuration: ClientConfiguration
    private let core: NIOLoopBoundBox<ChannelCore?>

    /// A channel without a connection.
    package init(_ configuration: ClientConfiguration, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        executor = LoopExecutor(eventLoop)
        self.configuration = configuration
        core = .makeBoxSendingValue(
            ChannelCore(configuration, on: eventLoop), eventLoop: eventLoop)
    }

    deinit {
        eventLoop.execute { [core] in core.value?.shutDown() }
    }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - request: The method, its metadata and its timeout.
    ///   - message: The only message of the call; `nil` for a call of many messages.
    ///   - listener: Is told of the answer, perhaps before `call` returns.
    package func call(
        _ request: CallRequest, sending message: [UInt8]? = nil, telling listener: CallListener
    ) -> ClientCall {
        let call = ClientCall(on: eventLoop)
        onLoop { [configuration] core in
            let running = RunningCall(request, to: configuration, telling: listener)
            if let message {
                running.send(message)
                running.halfClose()
            }
            call.begin(running, on: core)
        }
        return call
    }

    /// Refuses new calls, lets the calls under way end, then closes.
    package func shutDown() {
        onLoop { $0.shutDown() }
    }

    /// Ends all calls as `unavailable`, and closes.
    package func close() {
        onLoop { $0.close() }
    }

    private func onLoop(_ body: @escaping @Sendable (ChannelCore) -> Void) {
        if eventLoop.inEventLoop {
            if let core = core.value { body(core) }
        } else {
            eventLoop.execute { [core] in
                if let core = core.value { body(core) }
            }
        }
    }
}
