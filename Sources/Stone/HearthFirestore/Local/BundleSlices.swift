/// How much of a bundle goes into the cache in one turn.
package struct BundleSlices: Hashable, Sendable {
    /// The steps of a turn: a document is one, and a document's place among the results of a named
    /// query is one. About four milliseconds.
    package var stepCountMax = 150
    /// The bytes of documents after which a turn takes no further document.
    package var byteCountMax = 256 << 10

    /// The steps of a bundle that goes into the cache whole, in one turn and all at once.
    package var wholeStepCountMax = 1_000
    /// The bytes of such a bundle.
    package var wholeByteCountMax = 1 << 20

    /// The names of documents that all loads together keep for the views that lack the documents: 24 MiB,
    /// as a name takes 24 bytes beside its text, which the document shares. There may be so many views
    /// that the product of views and documents is too much to keep.
    package var keptNameCountMax = 1 << 20
    /// How many views that lack documents all loads together remember one by one: 8 MiB, as a view
    /// takes some 100 bytes beside its names. A load beyond this count tells every view.
    package var lackingViewCountMax = 1 << 16
    /// How many names one list, of one slice for one view, counts for, besides the names in the
    /// list.
    static let listNameCount = 4

    /// The steps that a named query counts for.
    static let queryStepCount = 4

    /// The slices of a daemon.
    package init() {}
}
