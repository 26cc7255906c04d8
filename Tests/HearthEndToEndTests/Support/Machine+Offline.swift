import Hearth
import HearthTestSupport

extension Machine {
    /// Waits until the daemon has found out that it is offline.
    func knowsItIsOffline() async throws {
        // A listener gives the engine a reason to speak to the backend.
        var rooms = client().collection("rooms").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await rooms.first { $0.metadata.isFromCache }
        _ = try await eventually {
            try await client().daemonStatus().onlineState
        } is: {
            $0 == .offline
        }
    }
}
