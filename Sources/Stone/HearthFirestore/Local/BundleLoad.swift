import HashTreeCollections
import HearthEngine
import HearthModel

/// A bundle on its way into the cache, slice by slice, one slice a turn.
///
///     documents > named queries > the record of the bundle
///
/// Each document is a version that the backend had, so the cache is right behind each slice. The
/// results of a named query gather under a target of the load's own, the stand-in; in the end the
/// stand-in becomes the target of the query. If the process dies before, the query is as it was.
struct BundleLoad: Sendable {
    /// What one turn takes of a bundle.
    struct Slice: Sendable {
        /// Documents, in the order of the bundle.
        fileprivate(set) var documents: [Document] = []
        /// Results of named queries, by the names of the queries.
        fileprivate(set) var results: [UTF8Text: [DocumentKey]] = [:]
        /// Queries all of whose results have been taken.
        fileprivate(set) var queries: [NamedQuery] = []
        /// Queries that the cache will not take, though the cache has taken some of their results.
        fileprivate(set) var droppedNames: [UTF8Text] = []
        fileprivate var byteCount = 0
        fileprivate var stepsLeft: Int
    }

    /// Who waits for the end.
    let id: RequestID
    /// The bundle. Empty if the rest of it is not wanted any more.
    private(set) var bundle: Bundle
    /// Where the target of all documents of the bundle is. Bundles with one place are not loaded at
    /// the same time.
    let place: ResourcePath
    /// The target that holds all documents of the bundle, because the store could collect them
    /// otherwise; `nil` before the first slice.
    var umbrella: TargetID?
    /// The stand-ins, by the names of the queries.
    var standIns: TreeDictionary<UTF8Text, TargetID> = [:]
    /// How many stand-ins there were so far.
    var standInCount = 0
    /// The bundle's documents that the cache has and that concern views, as long as no view was told.
    private(set) var untold: TreeDictionary<DocumentKey, Document> = [:]
    /// Whether the rest of the bundle is not wanted any more.
    private(set) var isCut = false

    private var entryPlace = 0
    /// How many of the queries in the entry in hand have the entry's document; `nil` if the document
    /// has not been taken.
    private var namePlace: Int?
    private var queryPlace = 0

    /// Nothing of the bundle has been taken.
    init(_ bundle: Bundle, for id: RequestID) {
        self.id = id
        self.bundle = bundle
        place = ResourcePath(["__bundle__", "docs"]).appending(bundle.pathSegment)
    }

    /// Whether a slice has been taken.
    var hasBegun: Bool { umbrella != nil }

    /// Whether all has been taken.
    var isDone: Bool {
        entryPlace == bundle.entries.count && queryPlace == bundle.namedQueries.count
            && standIns.isEmpty
    }

    /// What whoever waits is told in the end.
    var result: BundleProgress {
        let count = bundle.entries.count
        return BundleProgress(
            documentsLoaded: count, totalDocuments: count, bytesLoaded: bundle.byteCount,
            totalBytes: bundle.byteCount)
    }

    /// Where the next stand-in is.
    var standInPlace: ResourcePath {
        let number = (try? PathSegment(parsing: "\(standInCount)")) ?? "_"
        return ResourcePath(["__bundle__", "queries"]).appending(bundle.pathSegment)
            .appending("results").appending(number)
    }

    /// Takes what one turn has time for: a short bundle whole.
    mutating func nextSlice(_ limits: BundleSlices) -> Slice {
        var limits = limits
        if !hasBegun, isShort(limits) {
            limits.stepCountMax = limits.wholeStepCountMax
            limits.byteCountMax = .max
        }
        var slice = Slice(stepsLeft: limits.stepCountMax)
        while slice.stepsLeft > 0, slice.byteCount < limits.byteCountMax,
            entryPlace < bundle.entries.count
        {
            takeEntry(&slice)
        }
        guard entryPlace == bundle.entries.count else { return slice }
        while slice.stepsLeft > 0, queryPlace < bundle.namedQueries.count {
            slice.queries.append(bundle.namedQueries[queryPlace])
            slice.stepsLeft -= BundleSlices.queryStepCount
            queryPlace += 1
        }
        if isCut { slice.droppedNames = Array(standIns.keys.prefix(limits.stepCountMax)) }
        return slice
    }

    private func isShort(_ limits: BundleSlices) -> Bool {
        guard bundle.byteCount <= limits.wholeByteCountMax,
            bundle.entries.count <= limits.wholeStepCountMax
        else { return false }
        let stepCount = bundle.entries.reduce(
            bundle.namedQueries.count * BundleSlices.queryStepCount
        ) { $0 + 1 + $1.queries.count }
        return stepCount <= limits.wholeStepCountMax
    }

    /// Takes the document of the entry in hand, and the document's places in results.
    private mutating func takeEntry(_ slice: inout Slice) {
        let entry = bundle.entries[entryPlace]
        if namePlace == nil {
            slice.documents.append(entry.document)
            slice.byteCount += entry.document.fields.byteCountBound
            slice.stepsLeft -= 1
        }
        let names = entry.document.isFound ? entry.queries : []
        let start = namePlace ?? 0
        let end = min(names.count, start + slice.stepsLeft)
        for name in names[start..<end].lazy.map({ UTF8Text($0) })
        where bundle.queryNames.contains(name) {
            slice.results[name, default: []].append(entry.document.key)
        }
        slice.stepsLeft -= end - start
        namePlace = end < names.count ? end : nil
        if namePlace == nil { entryPlace += 1 }
    }

    /// Notes documents that views are told of when all has been taken.
    mutating func hold(_ documents: [Document]) {
        for document in documents { untold[document.key] = document }
    }

    /// Views are told of documents otherwise, as they are now.
    mutating func release(_ documents: [Document]) {
        if untold.isEmpty { return }
        for document in documents { untold[document.key] = nil }
    }

    /// The rest of the bundle is not wanted any more. Views hear of the documents that the cache has.
    mutating func cut() {
        isCut = true
        bundle = Bundle(record: bundle.record, entries: [], namedQueries: [], byteCount: 0)
        entryPlace = 0
        namePlace = nil
        queryPlace = 0
    }
}

extension Bundle {
    /// The bundle's id as one segment of a path.
    fileprivate var pathSegment: PathSegment {
        let bytes = record.id.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        return (try? PathSegment(parsing: String(decoding: bytes, as: UTF8.self))) ?? "_"
    }
}
