import HearthModel

extension FirestoreDelivery {
    /// The number of the request or listener that the delivery is for.
    package var number: UInt64 {
        switch self {
        case .snapshot(let number, _), .fail(let number, _), .inSync(let number),
            .answer(let number, _), .accept(let number, _), .settle(let number, _, _),
            .complete(let number), .refuse(let number, _), .loaded(let number, _),
            .found(let number, _), .explained(let number, _), .indexes(let number, _),
            .result(let number, _):
            number
        }
    }
}
