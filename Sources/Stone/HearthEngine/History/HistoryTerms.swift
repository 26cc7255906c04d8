/// What an administrator decides about the history of documents.
package struct HistoryTerms: Hashable, Sendable {
    /// Whether what becomes of documents is noted.
    ///
    /// If not, what was noted before stays for its time.
    package var isKept = false
    /// How long an entry is kept, in seconds: a week.
    package var secondsMax = 7 * 24 * 3_600
    /// How many bytes of entries a database keeps: 64 MiB.
    package var byteCountMax = 64 << 20

    /// The defaults: nothing is noted.
    package init() {}
}
