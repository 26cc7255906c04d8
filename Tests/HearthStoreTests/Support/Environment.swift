import Glibc

/// What a run of the tests is told from outside.
enum Environment {
    /// A variable's number, if it is set to one.
    static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
}
