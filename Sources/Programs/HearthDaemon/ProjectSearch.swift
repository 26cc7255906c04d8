import HearthModel
import HearthRemote
import HearthServer

/// Finds the project that the configuration leaves out: in the key that proves who we are, or at the
/// metadata server of a machine of Google's.
struct ProjectSearch: Sendable {
    /// How long a start may wait for the metadata server.
    static let patience = Duration.seconds(5)

    private let configuration: ServerConfiguration

    /// Searches where this configuration looks for credentials.
    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
    }

    /// The project, or why none is known, with what would help.
    func project() async throws(HearthError) -> String {
        do throws(HearthError) {
            return try await Self.limited(
                GoogleSource(try places, metadataHost: configuration.credentials.metadataHost))
        } catch {
            throw Self.nothingFound(error)
        }
    }

    /// Looks whether a search can find a project, and asks no server: only the metadata server knows its own.
    ///
    /// - Parameter expectReadable: Throws if the file at a path must not be read.
    /// - Throws: Why no project would be known, with what would help.
    func check(_ expectReadable: (String) throws(HearthError) -> Void) throws(HearthError) {
        do throws(HearthError) {
            switch try GoogleSource.first(of: try places) {
            case .file(let path), .fileIfAny(let path):
                try expectReadable(path)
                _ = try GoogleSource.project(of: path)
            case .metadataServer: break
            }
        } catch {
            throw Self.nothingFound(error)
        }
    }

    private var places: [GoogleSource.Place] {
        get throws(HearthError) {
            guard case .google(let places) = CredentialsPlan(configuration, project: "") else {
                throw HearthError(
                    code: .failedPrecondition,
                    message: "Only the key of a service account and Google's machines name one.")
            }
            return places
        }
    }

    private static func nothingFound(_ error: HearthError) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "The configuration names no project, and none can be found. "
                + "\(error.message) Set database.project.")
    }

    /// The project that the source names; throws `silence` if the source does not answer in time.
    private static func limited(_ source: GoogleSource) async throws(HearthError) -> String {
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<String, HearthError>.self, bufferingPolicy: .bufferingOldest(1))
        // Ends by itself, at the latest when the server is given up; nobody waits for it any more.
        Task {
            do throws(HearthError) {
                continuation.yield(.success(try await source.project()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let deadline = Task {
            try await Task.sleep(for: patience)
            continuation.yield(.failure(.silence))
        }
        defer { deadline.cancel() }
        for await answer in answers { return try answer.get() }
        throw .silence
    }
}

extension HearthError {
    fileprivate static let silence = HearthError(
        code: .unavailable, message: "The metadata server did not answer in time.")
}
