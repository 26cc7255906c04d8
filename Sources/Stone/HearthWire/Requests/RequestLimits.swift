/// How much one request may name.
///
/// They are looked at as soon as a request is read, before access rules, engines or the disk walk
/// through what it names. Names and queries have Firestore's own limits: `PathLimits`,
/// `QueryLimits`. A write as a whole is bounded by its bytes.
package enum RequestLimits {
    /// Documents that a transaction reads in one request, or that a bundle holds by their names.
    package static let documentCountMax = 10_000
    /// Queries of one bundle.
    package static let bundleQueryCountMax = 1_000
    /// Batches that one order steers.
    package static let batchCountMax = 100_000
    /// Fields of one index, as Firestore's composite indexes have at most.
    package static let indexFieldCountMax = 100
    /// Fields that one write changes by their paths. A document with more has more entries in
    /// Firestore's indexes than the 40,000 that it may have.
    package static let fieldPathCountMax = 20_000
    /// Transforms of one write, Firestore's limit for a document in a commit.
    package static let transformCountMax = 500
}
