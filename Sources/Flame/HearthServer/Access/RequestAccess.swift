import HearthModel
import HearthWire

/// Whether a grant lets a request through, by what the request's family says of it.
enum RequestAccess {
    /// Why a grant does not let a request through; `nil` if it does.
    static func refusal(of traits: RequestTraits, by grant: AccessGrant) -> AccessRefusal? {
        switch traits.permission {
        case .open: return nil
        case .anything(let right): return grant.refusal(of: right, to: .anything)
        case .everything(let right): return grant.refusal(of: right, to: .everything)
        case .overview: return overviewRefusal(by: grant)
        case .contents: return refusal(of: traits.contents, by: grant)
        case .contentsOrOverview:
            return seesOverview(grant) ? nil : refusal(of: traits.contents, by: grant)
        }
    }

    /// Whether a grant lets its peer see all that waits.
    static func seesOverview(_ grant: AccessGrant) -> Bool { overviewRefusal(by: grant) == nil }

    private static func overviewRefusal(by grant: AccessGrant) -> AccessRefusal? {
        // Who may steer what waits may see it, too.
        if grant.holdsEverywhere(.administer) { return nil }
        return grant.refusal(of: .read, to: .everything)
    }

    private static func refusal(
        of contents: RequestContents, by grant: AccessGrant
    ) -> AccessRefusal? {
        switch contents {
        case .mutations(let mutations): return refusal(of: mutations, by: grant)
        case .change(let change): return refusal(of: change, by: grant)
        case .subtree(let path, let rights):
            return rights.sorted { $0.rawValue < $1.rawValue }.lazy.compactMap {
                grant.refusal(of: $0, to: .subtree(path))
            }.first
        case .nothing, .query, .documents, .aggregate, .bundle, .index, .collections, .batches:
            return readingRefusal(of: contents, by: grant)
        }
    }

    /// A write needs the right at each of its places, with all below.
    private static func refusal(
        of change: RealtimeChange, by grant: AccessGrant
    ) -> AccessRefusal? {
        if grant.holdsEverywhere(.write) { return nil }
        for part in change.parts {
            let scope = AccessScope.subtree(part.place.path)
            if let refusal = grant.refusal(of: .write, to: scope) { return refusal }
        }
        return nil
    }

    private static func readingRefusal(
        of contents: RequestContents, by grant: AccessGrant
    ) -> AccessRefusal? {
        if grant.holdsEverywhere(.read) { return nil }
        for scope in scopes(of: contents) {
            if let refusal = grant.refusal(of: .read, to: scope) { return refusal }
        }
        return nil
    }

    private static func scopes(of contents: RequestContents) -> [AccessScope] {
        switch contents {
        case .query(let query): [AccessScope(query)]
        case .aggregate(let request): [AccessScope(request.query)]
        case .documents(let keys): keys.map { .document($0.path) }
        case .bundle(let order):
            order.queries.map { AccessScope($0.query) }
                + order.documents.map { .document($0.path) }
        case .collections(let page): [.group(below: page.below)]
        // What names no document needs no less than all of them.
        case .nothing, .index, .batches, .mutations, .subtree, .change: [.everything]
        }
    }

    private static func refusal(
        of mutations: [Mutation], by grant: AccessGrant
    ) -> AccessRefusal? {
        let (reads, writes) = (grant.holdsEverywhere(.read), grant.holdsEverywhere(.write))
        if reads && writes { return nil }
        for mutation in mutations {
            let isWrite =
                switch mutation.kind {
                case .set, .patch, .delete: true
                case .verify: false
                }
            if isWrite ? writes : reads { continue }
            let scope = AccessScope.document(mutation.key.path)
            if let refusal = grant.refusal(of: isWrite ? .write : .read, to: scope) {
                return refusal
            }
        }
        return nil
    }
}
