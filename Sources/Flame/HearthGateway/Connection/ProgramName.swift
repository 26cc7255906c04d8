import HearthRPC

/// What a client calls itself, for display alone.
enum ProgramName {
    /// The first word of the header `user-agent`, such as `grpc-python/1.60.0`; `nil` if there is
    /// none.
    static func read(_ head: CallHead) -> String? {
        guard let agent = head.metadata("user-agent") else { return nil }
        let word = agent.utf8.prefix(GatewayLimits.programByteCountMax).prefix {
            $0 > 0x20 && $0 < 0x7F
        }
        return word.isEmpty ? nil : String(Substring(word))
    }
}
