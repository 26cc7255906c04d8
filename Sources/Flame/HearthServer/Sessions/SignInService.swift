package import HearthModel
package import HearthWire

/// Speaks with Firebase Auth for the server.
///
/// The service tells who the daemon is to the backend, and signs users in and out.
package protocol SignInService: Sendable {
    /// Carries out an administrator's order, and tells who is signed in then.
    ///
    /// - Throws: Why the order was not carried out, without any secret.
    func carryOut(_ order: SignInOrder) async throws(HearthError) -> SignInReport
}
