import GRPCCore
import HearthModel
import HearthProtocol

/// Turns the errors of this program into the statuses that clients see.
struct StatusInterceptor: ServerInterceptor {
    func intercept<Input: Sendable, Output: Sendable>(
        request: StreamingServerRequest<Input>, context: ServerContext,
        next:
            @Sendable (
                StreamingServerRequest<Input>, ServerContext
            ) async throws -> StreamingServerResponse<Output>
    ) async throws -> StreamingServerResponse<Output> {
        do {
            let response = try await next(request, context)
            guard case .success(let contents) = response.accepted else { return response }
            return StreamingServerResponse(metadata: contents.metadata) { writer in
                do {
                    return try await contents.producer(writer)
                } catch {
                    throw Self.status(of: error)
                }
            }
        } catch {
            throw Self.status(of: error)
        }
    }

    private static func status(of error: any Error) -> any Error {
        switch error {
        case let error as HearthError: RPCError(error)
        case let error as CodecError: RPCError(code: .internalError, message: "\(error)")
        default: error
        }
    }
}
