/// How much a console holds and does at once.
package enum ConsoleLimits {
    /// Requests that are being answered at once. A page asks a handful; a second page as many.
    static let requestCountMax = 64
    /// Streams of events at once: a few pages with three each.
    static let streamCountMax = 16
    /// Connections at once. A browser opens six to one address.
    package static let connectionCountMax = 96
    /// The same of one user who is neither root nor runs the console, before the secret has come.
    package static let guestConnectionCountMax = 12
    /// Bytes of a request's body: a document of 1 MiB as JSON, whose values are longer than its bytes.
    static let bodyByteCountMax = 2 << 20
    /// Bytes of the body that brings the secret.
    static let entryByteCountMax = 1_024
    /// Bytes of a request's first line and headers together.
    static let headerByteCountMax = 16 * 1_024
    /// Documents, children, batches or collections in one answer.
    package static let pageSizeMax = 500
    /// The same if the page does not say.
    static let pageSize = 100
    /// Batches that a preview lists.
    static let previewCountMax = 500
    /// Batches that one order of the daemon is about; an order to more goes out in parts.
    static let steeredCountMax = 1_000
    /// Batches, or dead letters, that one question for a cause looks at: a page asks every second.
    static let siftedCountMax = 1_000
    /// How long the causes of the dead letters count that were found, while the number of letters stays.
    static let causesTimeMax = Duration.seconds(30)
    /// Batches of a queue, or dead letters, that are grouped by their cause or looked ahead at.
    static let letterCountMax = 10_000
    /// Documents of one answer whose writers are looked up.
    static let writerLookupCountMax = 32
    /// Databases that are open at once.
    static let databaseCountMax = 32
    /// Bytes of a whole node of the Realtime Database in one answer.
    package static let nodeByteCountMax = 1 << 20
    /// Seconds of the past that the graphs show.
    static let sampleCountMax = 3_600
    /// Days of the ledger in one answer: as many as a daemon can be told to keep.
    static let ledgerDayCountMax: Int64 = 3_650
    /// How often the daemon is asked for its figures while a page shows them.
    package static let overviewInterval = Duration.seconds(1)
    /// How long a page rests at least between two changes of the daemon's state.
    static let overviewRest = Duration.milliseconds(200)
    /// How long the daemon may take to answer what a page asks.
    package static let answerTimeout = Duration.seconds(30)
    /// How often a stream shows that it lives.
    static let keepAliveInterval = Duration.seconds(25)
    /// How long nothing may come and nothing leave on a connection. Longer than an answer may take, and
    /// than a stream is silent.
    static let silenceTimeMax = Duration.seconds(90)
    /// How long a connection to a daemon is tried.
    static let connectTimeout = Duration.seconds(5)
}
