import HearthFirestore
import HearthModel
import HearthProtocol
import HearthServer
import SwiftProtobuf

/// Promised times in the preconditions of writes that go past the queue: the backend knows no
/// promises, so each promise becomes the backend's time in its place.
extension GatewayCall {
    /// Puts the backend's times in the place of promised times in preconditions.
    ///
    /// The call fails with the reason if one of the times stands for nothing, or for a write that
    /// still waits.
    func translate(_ mutations: [Mutation], then body: @escaping ([Mutation]) -> Void) {
        translated(mutations) { result in
            switch result {
            case .success(let translated): body(translated)
            case .failure(let error): fail(error)
            }
        }
    }

    /// Puts the backend's times in the place of promised times, for each write by itself.
    func translateEach(
        _ mutations: [Mutation], then body: @escaping ([Result<Mutation, HearthError>]) -> Void
    ) {
        var results = mutations.map { Result<Mutation, HearthError>.success($0) }
        let places = mutations.indices.filter { mutations[$0].namedTime != nil }
        var openCount = places.count
        if openCount == 0 { return body(results) }
        for place in places {
            translated([mutations[place]]) { result in
                results[place] = result.map { $0[0] }
                openCount -= 1
                if openCount == 0 { body(results) }
            }
        }
    }

    private func translated(
        _ mutations: [Mutation], then body: @escaping (Result<[Mutation], HearthError>) -> Void
    ) {
        guard mutations.contains(where: { $0.namedTime != nil }) else {
            return body(.success(mutations))
        }
        ask({ .translate($0, mutations) }) { delivery in
            switch delivery {
            case .result(_, .translated(let translated)): body(.success(translated))
            case .refuse(_, let error): body(.failure(error))
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }
}

extension Mutation {
    /// The time that the precondition names, which may be a promise; `nil` if it names none.
    var namedTime: Google_Protobuf_Timestamp? {
        guard case .updateTime(let version) = precondition else { return nil }
        return FirestoreCodec.encode(version.timestamp)
    }
}

extension [ProtoWrite] {
    /// The same writes with the times that the preconditions of their mutations name.
    func naming(_ mutations: [Mutation]) -> [ProtoWrite] {
        zip(self, mutations).map { write, mutation in
            guard let time = mutation.namedTime else { return write }
            var write = write
            write.currentDocument.updateTime = time
            return write
        }
    }
}
