import HearthWire
import NIOCore

/// What operators are told of the sessions, in parts.
extension SessionRegistry {
    /// A part of the connected processes of all users or of one user, oldest first.
    func clients(ofUser uid: UInt32?, after place: Inspection.Place = .start) -> Inspection {
        let entries = entries(ofUser: uid).filter { $0.0 > place.session }
        var inspection = Inspection()
        inspection.clients = entries.prefix(ListenerList.rowCountMax).map { id, entry in
            var client = Inspection.Client(
                session: id, process: entry.process, database: entry.key,
                listenerCount: entry.tally.toldListenerCount, age: .now - entry.connectedAt)
            client.heldByteCount = entry.tally.heldByteCount
            return client
        }
        if let last = inspection.clients.last, inspection.clients.count < entries.count {
            inspection.next = Inspection.Place(session: last.session, row: 0)
        }
        return inspection
    }

    /// The same, with the traffic of each connection. Each session tells its traffic on its own
    /// event loop.
    func clients(
        ofUser uid: UInt32?, after place: Inspection.Place, on loop: any EventLoop
    ) -> EventLoopFuture<Inspection> {
        let part = clients(ofUser: uid, after: place)
        // A race: a session that has ended meanwhile is left out.
        let answers = part.clients.compactMap { client in
            entry(of: client.session).map { entry in
                let handler = entry.handler
                return entry.loop.submit {
                    var client = client
                    client.traffic = handler.value.traffic
                    return client
                }
            }
        }
        return EventLoopFuture.whenAllSucceed(answers, on: loop).map { clients in
            var inspection = part
            inspection.clients = clients
            return inspection
        }
    }

    /// A part of the queries of the listeners, which each session reports on its own event loop.
    func listeners(
        ofUser uid: UInt32?, after place: Inspection.Place = .start, on loop: any EventLoop
    ) -> EventLoopFuture<ListenerList> {
        let entries = entries(ofUser: uid).filter { $0.0 >= place.session }
        var count = 0
        // As many sessions as one part has room for, as last counted.
        let part = entries.prefix { _, entry in
            defer { count += entry.tally.listenerCount }
            return count < ListenerList.rowCountMax
        }
        let answers = part.map { id, entry in
            let handler = entry.handler
            let first = id == place.session ? Int(place.row) : 0
            return entry.loop.submit {
                handler.value.listenedTo.enumerated().dropFirst(first).map { index, text in
                    ListenerList.Row(
                        place: Inspection.Place(session: id, row: UInt32(clamping: index + 1)),
                        process: entry.process, database: entry.key, text: text)
                }
            }
        }
        let end = part.count < entries.count ? part.last?.0 : nil
        return EventLoopFuture.whenAllSucceed(answers, on: loop).map {
            ListenerList($0.flatMap { $0 }, goingOnBehind: end)
        }
    }
}
