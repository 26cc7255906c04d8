/// How much one request may name.
///
/// The codec checks the limits as soon as it has read a request. So access rules, engines and the
/// disk never walk through more names. Names and queries have Firestore's own limits: `PathLimits`,
/// `QueryLimits`. A write as a whole is limited by its bytes.
package enum RequestLimits {
    /// Documents in one read of a transaction, or in the order for a bundle.
    package static let documentCountMax = 10_000
    /// Queries of one bundle.
    package static let bundleQueryCountMax = 1_000
    /// Batches that one order steers.
    package static let batchCountMax = 100_000
    /// Fields of one index, as Firestore's composite indexes have at most.
    package static let indexFieldCountMax = 100
    /// Field paths of one write. A document with more fields would exceed the 40,000 entries in
    /// indexes that Firestore allows for one document.
    package static let fieldPathCountMax = 20_000
    /// Transforms of one write, Firestore's limit for a document in a commit.
    package static let transformCountMax = 500
    /// Places of one update of the Realtime Database.
    package static let updatePlaceCountMax = 100_000
    /// Bytes of the text of one query of the Realtime Database.
    package static let queryTextByteCountMax = 65_536
}
