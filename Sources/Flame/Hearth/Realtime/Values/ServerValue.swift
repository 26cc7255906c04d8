/// Values that a program writes and the server fills in.
///
///     try await ref.updateChildValues([
///         "visits": ServerValue.increment(1), "lastVisit": ServerValue.timestamp(),
///     ])
///
/// Until the server has answered, observers see an estimate.
public enum ServerValue {
    /// The server's time, in milliseconds since 1970.
    public static func timestamp() -> [AnyHashable: Any] {
        [".sv": "timestamp"]
    }

    /// What is there, plus a whole number. What is no number counts as 0.
    public static func increment(_ delta: Int) -> [AnyHashable: Any] {
        [".sv": ["increment": delta]]
    }

    /// What is there, plus a number. What is no number counts as 0.
    public static func increment(_ delta: Double) -> [AnyHashable: Any] {
        [".sv": ["increment": delta]]
    }
}
