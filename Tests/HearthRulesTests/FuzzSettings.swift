import Glibc

/// How long the fuzzing tests run.
enum FuzzSettings {
    /// `HEARTH_FUZZ_COUNT`, else enough for a few seconds.
    static let count = getenv("HEARTH_FUZZ_COUNT").flatMap { Int(String(cString: $0)) } ?? 1_000
}
