import HearthModel
package import HearthWire

/// Which rights a request needs, and to what.
package enum RequestAccess {
    /// A right that is needed.
    package struct Need: Hashable, Sendable {
        /// The right.
        package let right: AccessPolicy.Right
        /// To what.
        package let scope: AccessScope
    }

    /// Why a grant does not let a request through; `nil` if it does.
    static func refusal(of request: Request, by grant: AccessGrant) -> AccessRefusal? {
        switch request {
        case .listQueue, .listDeadLetters:
            // Who may steer what waits may see it, too.
            if grant.holdsEverywhere(.administer) { return nil }
        case .get, .listen, .explain, .aggregate, .readDocuments, .buildBundle, .getNamedQuery,
            .voteNetwork, .listCollections:
            if grant.holdsEverywhere(.read) { return nil }
        case .write:
            if grant.holdsEverywhere(.write) { return nil }
        case .hello, .ping, .unlisten, .unlistenToSync, .listenToSync, .getStatus, .inspect,
            .waitForPendingWrites, .waitForOwnWrites, .commit, .loadBundle, .manageIndexes,
            .steerQueue, .setNetwork, .clearPersistence, .reload, .authenticate:
            break
        }
        for need in needs(of: request) {
            if let refusal = grant.refusal(of: need.right, to: need.scope) { return refusal }
        }
        return nil
    }

    /// What must be allowed, all of it; nothing for what everyone who connects may ask.
    package static func needs(of request: Request) -> [Need] {
        switch request {
        case .hello, .ping, .unlisten, .unlistenToSync, .listenToSync, .getStatus, .inspect,
            .waitForPendingWrites, .waitForOwnWrites, .authenticate(.tell):
            return []
        case .get(let query, _), .listen(let query, _), .explain(let query):
            return [Need(right: .read, scope: AccessScope(query))]
        case .aggregate(let aggregate):
            return [Need(right: .read, scope: AccessScope(aggregate.query))]
        case .getNamedQuery, .voteNetwork, .manageIndexes(.none):
            return [Need(right: .read, scope: .anything)]
        case .readDocuments(let keys):
            return keys.map { Need(right: .read, scope: .document($0.path)) }
        case .buildBundle(let order):
            return order.queries.map { Need(right: .read, scope: AccessScope($0.query)) }
                + order.documents.map { Need(right: .read, scope: .document($0.path)) }
        case .listCollections(let page):
            return [Need(right: .read, scope: .group(below: page.below))]
        case .listQueue, .listDeadLetters:
            return [Need(right: .read, scope: .everything)]
        case .write(let write): return needs(of: write.mutations)
        case .commit(let mutations): return needs(of: mutations)
        case .loadBundle, .manageIndexes:
            // It concerns the cache, which is everybody's.
            return [Need(right: .write, scope: .everything)]
        case .steerQueue, .setNetwork, .clearPersistence, .reload, .authenticate(.signIn),
            .authenticate(.signOut):
            return [Need(right: .administer, scope: .everything)]
        }
    }

    private static func needs(of mutations: [Mutation]) -> [Need] {
        mutations.map { mutation in
            let scope = AccessScope.document(mutation.key.path)
            return switch mutation.kind {
            case .set, .patch, .delete: Need(right: .write, scope: scope)
            case .verify: Need(right: .read, scope: scope)
            }
        }
    }
}
