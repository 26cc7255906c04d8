import HashTreeCollections
import HearthModel

/// The commits that wait for locks, found by the events that could let a commit go on.
///
/// Each commit waits for one transaction in the way, the commit's obstacle. While the obstacle
/// keeps its locks and nobody changes the documents that the commit would write, nobody looks at
/// the commit. When the obstacle opens its locks, or such a document changes, the commit is due.
/// The code that ended the transaction looks at the due commits alone.
struct WaitingTable: Sendable {
    /// Where a commit stands: commits of older transactions first, then commits without a
    /// transaction, in the order in which they began to wait.
    private struct Place: Sendable {
        let transaction: TransactionID?
        let id: WaiterID

        init(_ commit: WaitingCommit) {
            transaction = commit.transaction
            id = commit.id
        }

        static func order(_ left: Place, _ right: Place) -> Int {
            switch (left.transaction, right.transaction) {
            case (let first?, let second?) where first != second: first < second ? -1 : 1
            case (.some, nil): -1
            case (nil, .some): 1
            case (.some, .some), (nil, nil):
                left.id == right.id ? 0 : (left.id < right.id ? -1 : 1)
            }
        }
    }

    /// When a commit must be given up.
    private struct Deadline: Sendable {
        let moment: Timestamp
        let id: WaiterID

        static func order(_ left: Deadline, _ right: Deadline) -> Int {
            if left.moment != right.moment { return left.moment < right.moment ? -1 : 1 }
            return left.id == right.id ? 0 : (left.id < right.id ? -1 : 1)
        }
    }

    private struct Target: Hashable, Sendable {
        let database: DatabaseID
        let key: DocumentKey
    }

    private var commits: TreeDictionary<WaiterID, WaitingCommit> = [:]
    private var byTransaction: TreeDictionary<TransactionID, WaiterID> = [:]
    private var obstacles: TreeDictionary<WaiterID, TransactionID> = [:]
    private var byObstacle: TreeDictionary<TransactionID, TreeSet<WaiterID>> = [:]
    private var byTarget: TreeDictionary<Target, TreeSet<WaiterID>> = [:]
    private var deadlines = OrderedTree<Deadline>()
    private var due = OrderedTree<Place>()

    /// How many commits were due, ever: the work of letting commits go on.
    private(set) var dueCount = 0

    /// Nobody waits.
    init() {}

    /// How many wait.
    var count: Int { commits.count }

    /// The commit of a transaction, if it waits.
    func commit(of transaction: TransactionID) -> WaitingCommit? {
        byTransaction[transaction].flatMap { commits[$0] }
    }

    /// When the first must be given up.
    var nextDeadline: Timestamp? { deadlines.first?.moment }

    /// The first of the commits that must be given up by now. O(k) for k such commits.
    func expired(at now: Timestamp) -> WaitingCommit? {
        var first: WaitingCommit?
        deadlines.walk { deadline in
            guard deadline.moment <= now else { return false }
            if let commit = commits[deadline.id],
                first.map({ Place.order(Place(commit), Place($0)) < 0 }) ?? true
            {
                first = commit
            }
            return true
        }
        return first
    }

    /// Lets a commit wait for a transaction that stands in its way. O(w log n), w writes.
    mutating func insert(_ commit: WaitingCommit, behind obstacle: TransactionID) {
        commits[commit.id] = commit
        if let transaction = commit.transaction { byTransaction[transaction] = commit.id }
        deadlines.insert(Deadline(moment: commit.deadline, id: commit.id), by: Deadline.order)
        for write in commit.writes {
            byTarget[Target(database: commit.database, key: write.key), default: []]
                .insert(commit.id)
        }
        wait(commit.id, behind: obstacle)
    }

    /// Takes a commit away, if it is there.
    mutating func remove(_ id: WaiterID) {
        guard let commit = commits.removeValue(forKey: id) else { return }
        if let transaction = commit.transaction { byTransaction[transaction] = nil }
        deadlines.remove(Deadline(moment: commit.deadline, id: id), by: Deadline.order)
        for write in commit.writes {
            let target = Target(database: commit.database, key: write.key)
            byTarget[target]?.remove(id)
            if byTarget[target]?.isEmpty ?? false { byTarget[target] = nil }
        }
        forgetObstacle(of: id)
        due.remove(Place(commit), by: Place.order)
    }

    /// A transaction has opened its locks.
    mutating func released(_ transaction: TransactionID) {
        guard let waiters = byObstacle.removeValue(forKey: transaction) else { return }
        for id in waiters {
            obstacles[id] = nil
            if let commit = commits[id] { due.insert(Place(commit), by: Place.order) }
        }
    }

    /// Makes the commits due that would write changed documents, since their effect may differ now.
    mutating func changed(_ changes: [DocumentChange], in database: DatabaseID) {
        if byTarget.isEmpty { return }
        for change in changes {
            for id in byTarget[Target(database: database, key: change.key)] ?? [] {
                if let commit = commits[id] { due.insert(Place(commit), by: Place.order) }
            }
        }
    }

    /// Takes the first due commit from the due commits.
    ///
    /// The caller must look at the commit, and then either let the commit wait again or take the
    /// commit away.
    mutating func nextDue() -> WaitingCommit? {
        guard let place = due.first else { return nil }
        due.remove(place, by: Place.order)
        dueCount += 1
        return commits[place.id]
    }

    /// Lets a commit that was due wait again.
    mutating func wait(_ id: WaiterID, behind obstacle: TransactionID) {
        forgetObstacle(of: id)
        obstacles[id] = obstacle
        byObstacle[obstacle, default: []].insert(id)
    }

    private mutating func forgetObstacle(of id: WaiterID) {
        guard let obstacle = obstacles.removeValue(forKey: id) else { return }
        byObstacle[obstacle]?.remove(id)
        if byObstacle[obstacle]?.isEmpty ?? false { byObstacle[obstacle] = nil }
    }
}
