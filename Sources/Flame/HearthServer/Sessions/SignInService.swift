package import HearthModel
package import HearthWire

/// Who knows Firebase Auth on the server's behalf: tells who the daemon is to the backend, and signs
/// users in and out.
package protocol SignInService: Sendable {
    /// Carries out an administrator's order, and tells who is signed in then.
    ///
    /// - Throws: Why it was not done, without any secret.
    func carryOut(_ order: SignInOrder) async throws(HearthError) -> SignInReport
}
