import NIOCore

/// The gateway's own limits. What programs may ask for at a time is in `SessionLimits`.
enum GatewayLimits {
    /// How long a client that may not come in hears why.
    static let refusalTime = TimeAmount.seconds(2)
    /// How long the last answers to a client may take before its connection is cut.
    static let farewellTimeMax = TimeAmount.seconds(2)
    /// Connections of one user that may not come in and wait to hear why. More are closed unheard.
    static let refusedCountMax = 8
    /// Bytes of a query or of listened names, as in the request.
    static let targetByteCountMax = 64 << 10
    /// The metadata in which a call names the daemons on its way.
    static let viaName = "hearth-via"
    /// Daemons that a call may have come through.
    static let viaCountMax = 8
    /// Bytes of a daemon's name in that metadata.
    static let viaByteCountMax = 64
    /// Names of transactions that are kept of one payer: as many as one connection can have calls under way.
    static let transactionCountMax = 1_024
    /// How old a transaction can be: the backend's 270 seconds, and time for the last answer.
    static let transactionAgeMax = TimeAmount.seconds(300)
    /// Bytes of a client's name for itself that are shown to operators.
    static let programByteCountMax = 64
    /// Bytes of encoded documents that the gateway keeps for the next clients that read the same
    /// documents.
    static let documentByteCountMax = 8 << 20
}
