import GRPCCore
package import HearthModel
import Synchronization

/// Something that goes wrong on purpose.
package struct Fault: Hashable, Sendable {
    /// What goes wrong.
    package enum Kind: Hashable, Sendable {
        /// The call begins later.
        case delay(Duration)
        /// The call fails before anything is done.
        case refuse(HearthError)
        /// The call is made, and then fails as if its answer were lost on the way.
        case loseAnswer
        /// The stream breaks instead of bringing one more message after so many.
        case cutStream(afterMessageCount: Int)
    }

    /// The method's name, such as `Commit`; `nil` for any.
    package let method: String?
    /// What goes wrong.
    package let kind: Kind
    /// How many calls it happens to.
    package var callCount: Int

    /// Spoils the next calls of a method.
    package init(method: String? = nil, _ kind: Kind, callCount: Int = 1) {
        self.method = method
        self.kind = kind
        self.callCount = callCount
    }
}

/// The faults that wait for their calls.
package final class FaultTable: Sendable {
    private let faults = Mutex<[Fault]>([])

    init() {}

    /// Adds a fault behind those that wait.
    package func inject(_ fault: Fault) {
        faults.withLock { $0.append(fault) }
    }

    /// Lets everything go right again.
    package func clear() {
        faults.withLock { $0 = [] }
    }

    /// What goes wrong with a call that begins now.
    func take(method: String) -> [Fault.Kind] {
        faults.withLock { faults in
            var kinds: [Fault.Kind] = []
            for index in faults.indices where faults[index].method ?? method == method {
                kinds.append(faults[index].kind)
                faults[index].callCount -= 1
            }
            faults.removeAll { $0.callCount <= 0 }
            return kinds
        }
    }
}

/// Spoils calls as the table says.
struct FaultInterceptor: ServerInterceptor {
    let faults: FaultTable

    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @Sendable (
                StreamingServerRequest<Input>, ServerContext
            ) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        let kinds = faults.take(method: context.descriptor.method)
        for kind in kinds {
            switch kind {
            case .delay(let duration): try await Task.sleep(for: duration)
            case .refuse(let error): throw RPCError(error)
            case .loseAnswer, .cutStream: break
            }
        }
        let response = try await next(request, context)
        if kinds.contains(.loseAnswer) { throw Self.lost }
        for case .cutStream(let count) in kinds { return Self.cut(response, after: count) }
        return response
    }

    private static let lost = RPCError(
        code: .unavailable, message: "The answer was lost, as the test wished.")

    private static func cut<Output: Sendable>(
        _ response: StreamingServerResponse<Output>, after count: Int
    ) -> StreamingServerResponse<Output> {
        guard case .success(let contents) = response.accepted else { return response }
        return StreamingServerResponse(metadata: contents.metadata) { writer in
            let cutting = CuttingWriter(wrapped: writer, count: count)
            return try await contents.producer(RPCWriter(wrapping: cutting))
        }
    }

    /// Passes on so many messages, then breaks.
    private final class CuttingWriter<Element: Sendable>: RPCWriterProtocol {
        private let wrapped: RPCWriter<Element>
        private let left: Mutex<Int>

        init(wrapped: RPCWriter<Element>, count: Int) {
            self.wrapped = wrapped
            self.left = Mutex(count)
        }

        func write(_ element: Element) async throws {
            let isLast = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isLast { throw FaultInterceptor.lost }
            try await wrapped.write(element)
        }

        func write(contentsOf elements: some Sequence<Element>) async throws {
            for element in elements { try await write(element) }
        }
    }
}

extension RPCError {
    /// The status that a client sees.
    init(_ error: HearthError) {
        let status = Status.Code(rawValue: Int(error.code.rawValue)).flatMap(RPCError.Code.init)
        self.init(code: status ?? .unknown, message: error.message)
    }
}
