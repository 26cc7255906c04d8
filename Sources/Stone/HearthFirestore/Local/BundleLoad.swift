import HashTreeCollections
import HearthEngine
import HearthModel

/// A bundle on its way into the cache, slice by slice, one slice a turn.
///
///     documents > named queries > views are told > the record of the bundle
///
/// Each document is a version that the backend had, so the cache is right behind each slice. The
/// results of a named query gather under a target of the load's own, the stand-in; in the end the
/// stand-in becomes the target of the query. If the process dies before, the query has its old
/// target, and the next process releases the documents of the unfinished load. A bundle that goes
/// in whole needs no stand-in.
struct BundleLoad: Sendable {
    /// What one turn takes of a bundle.
    struct Slice: Sendable {
        /// Documents, in the order of the bundle.
        fileprivate(set) var documents: [Document] = []
        /// Results of named queries, by the names of the queries.
        fileprivate(set) var results: [UTF8Text: [DocumentKey]] = [:]
        /// Queries all of whose results have been taken.
        fileprivate(set) var queries: [NamedQuery] = []
        /// The places of stand-ins whose queries will not be taken. Some are empty.
        fileprivate(set) var droppedPlaces: [ResourcePath] = []
        fileprivate var byteCount = 0
        fileprivate var stepsLeft: Int
    }

    /// Who waits for the end; `nil` if nobody does: an earlier process has left the load, or who waited
    /// is gone.
    private(set) var id: RequestID?
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
    /// How many stand-ins there were so far, or of a load that is cut, may still be.
    var standInCount = 0
    /// The bundle's documents that the cache has and that concern views, as long as no view was told.
    private(set) var untold: TreeDictionary<DocumentKey, Document> = [:]
    /// The views that `untold` concerns.
    private var lacking = LackingViews()
    /// Whether the rest of the bundle is not wanted any more.
    private(set) var isCut = false

    /// Whether the bundle goes into the cache whole, in one turn.
    private(set) var isWhole = false
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

    /// An earlier process has taken a part of the bundle, and the rest is not wanted any more.
    init(leaving begun: BegunBundle) {
        id = nil
        bundle = Bundle(record: begun.record, entries: [], namedQueries: [], byteCount: 0)
        place = ResourcePath(["__bundle__", "docs"]).appending(bundle.pathSegment)
        standInCount = begun.queryCount
        isCut = true
    }

    /// Whether a slice has been taken.
    var hasBegun: Bool { umbrella != nil || isCut }

    /// What the store keeps of the load, until the load ends.
    var note: BegunBundle {
        BegunBundle(
            record: bundle.record, documentCount: bundle.entries.count,
            queryCount: bundle.namedQueries.count)
    }

    /// How far the load is.
    var progress: BundleLoading {
        BundleLoading(
            id: bundle.record.id, documentCount: entryPlace,
            totalDocumentCount: bundle.entries.count)
    }

    /// Whether all has been taken, and all views have been told.
    var isDone: Bool { isTaken && lacking.isEmpty }

    /// How many names of documents the load keeps, as `BundleSlices.keptNameCountMax` counts.
    var keptNameCount: Int { lacking.nameCount }

    /// How many views the load keeps one by one, as `BundleSlices.lackingViewCountMax` counts.
    var lackingViewCount: Int { lacking.count }

    /// Whether all has been taken.
    var isTaken: Bool {
        entryPlace == bundle.entries.count && queryPlace == bundle.namedQueries.count
            && standIns.isEmpty && !(isCut && standInCount > 0)
    }

    /// What whoever waits is told in the end.
    var result: BundleProgress {
        let count = bundle.entries.count
        return BundleProgress(
            documentsLoaded: count, totalDocuments: count, bytesLoaded: bundle.byteCount,
            totalBytes: bundle.byteCount)
    }

    /// What whoever waits is told if nothing is taken of the bundle: that all bytes have come, and no document
    /// was loaded.
    var skippedResult: BundleProgress {
        BundleProgress(
            documentsLoaded: 0, totalDocuments: bundle.entries.count,
            bytesLoaded: bundle.byteCount, totalBytes: bundle.byteCount)
    }

    /// Where a stand-in is, by its number.
    func standInPlace(_ number: Int) -> ResourcePath {
        let name = (try? PathSegment(parsing: "\(number)")) ?? "_"
        return ResourcePath(["__bundle__", "queries"]).appending(bundle.pathSegment)
            .appending("results").appending(name)
    }

    /// Takes what one turn has time for: a short bundle whole.
    mutating func nextSlice(_ limits: BundleSlices) -> Slice {
        var limits = limits
        if !hasBegun, fitsOneTurn(limits) {
            isWhole = true
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
        if isCut {
            let left = max(0, standInCount - limits.stepCountMax)
            slice.droppedPlaces = (left..<standInCount).map { standInPlace($0) }
            standInCount = left
        }
        return slice
    }

    private func fitsOneTurn(_ limits: BundleSlices) -> Bool {
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
    ///
    /// A view for whose list there is no room is told of all documents that no view was told of,
    /// and finds out which documents concern the view. Where there is no room for the view itself, all
    /// views are told so. A short bundle needs no room: its views are told in the same turn.
    ///
    /// - Parameters:
    ///   - room: How many more names of documents may be kept.
    ///   - viewRoom: How many more views may be kept.
    mutating func hold(
        _ concerned: [(id: ViewID, documents: [Document])], room: Int = .max,
        viewRoom: Int = .max
    ) {
        let nameCountMax = isWhole || room == .max ? Int.max : lacking.nameCount + room
        let countMax = isWhole || viewRoom == .max ? Int.max : lacking.count + viewRoom
        for (view, documents) in concerned {
            for document in documents { untold[document.key] = document }
            lacking.note(
                documents.map(\.key), of: view, nameCountMax: nameCountMax, countMax: countMax)
        }
    }

    /// Whether a view lacks documents that the cache has, or may.
    func lacks(_ view: ViewID) -> Bool { lacking.contains(view) }

    /// Takes the views that one turn has time to tell, the oldest first, each with all that the view is told:
    /// one view at least, and of a short bundle all.
    ///
    /// - Parameter views: The views that there are.
    mutating func nextTelling(
        _ limits: BundleSlices, among views: ViewTable
    ) -> [(id: ViewID, documents: [Document])] {
        lacking.next(
            untold, among: views, stepCountMax: isWhole ? Int.max : limits.stepCountMax)
    }

    /// Views are told of documents otherwise, as they are now.
    mutating func release(_ documents: [Document]) {
        if untold.isEmpty { return }
        for document in documents { untold[document.key] = nil }
    }

    /// Nobody waits for the end any more.
    mutating func leave() { id = nil }

    /// The rest of the bundle is not wanted any more. Views hear of the documents that the cache has.
    mutating func cut() {
        isCut = true
        standIns = [:]
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
