package import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite

/// Where the markers of a queue's batches lie, as the table `mutation_queues` tells.
extension SQLiteTransaction {
    package func markerEras(of user: UserID) throws(StoreError) -> [MarkerEra] {
        guard let queue = try queueID(user) else { return [] }
        let statement = try connection.statement(
            "SELECT marker_eras FROM mutation_queues WHERE id = ?")
        let text = try statement.bind(queue).first { $0.text(0) ?? "" }
        guard let eras = MarkerEra.read(text ?? "") else {
            throw .damaged("where the markers of a queue lie")
        }
        return eras
    }

    package func setMarkerEras(_ eras: [MarkerEra], of user: UserID) throws(StoreError) {
        // The intake log does not tell of marker eras, so the group is committed and synced.
        let queue = try makeQueueID(user)
        try connection.statement("UPDATE mutation_queues SET marker_eras = ? WHERE id = ?")
            .bind(MarkerEra.text(of: eras), queue).run()
        memory.group.hasChanges = true
    }
}
