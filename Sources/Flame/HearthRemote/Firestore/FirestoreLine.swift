import HearthFirestore
package import HearthModel

/// A database's line to its backend: one channel for the engine's streams and for the door.
///
/// The channel is shut down with the last who holds the line.
package final class FirestoreLine: Sendable {
    /// The channel.
    package let channel: FirestoreChannel
    /// Where the backend listens.
    package let address: BackendAddress

    /// Prepares a channel, and keeps it connected.
    ///
    /// - Parameter failed: Is told why the channel could not be kept.
    /// - Throws: `HearthError` `failedPrecondition` if the certificates cannot be read.
    package init(
        _ configuration: FirestoreChannel.Configuration,
        failed: @escaping @Sendable (HearthError) -> Void
    ) throws(HearthError) {
        let channel = try FirestoreChannel(configuration)
        self.channel = channel
        address = configuration.address
        Task {
            do throws(HearthError) { try await channel.run() } catch { failed(error) }
        }
    }

    deinit { channel.shutDown() }
}
