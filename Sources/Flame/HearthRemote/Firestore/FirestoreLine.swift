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

    /// Prepares a channel.
    ///
    /// - Throws: `HearthError` `failedPrecondition` if the certificates cannot be read.
    package init(_ configuration: FirestoreChannel.Configuration) throws(HearthError) {
        channel = try FirestoreChannel(configuration)
        address = configuration.address
    }

    deinit { channel.shutDown() }
}
