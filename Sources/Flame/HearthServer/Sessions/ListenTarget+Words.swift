import HearthModel

extension ListenTarget {
    /// The place and the query, for operators, in the words of the REST API.
    var words: String { ([path.description] + query.words).joined(separator: " ") }
}

extension QueryParameters {
    /// What the query asks for besides the whole node.
    fileprivate var words: [String] {
        if isDefault { return [] }
        var words = ["orderBy=\(index.word)"]
        if let start {
            words.append((start.isInclusive ? "startAt=" : "startAfter=") + start.words)
        }
        if let end { words.append((end.isInclusive ? "endAt=" : "endBefore=") + end.words) }
        if let limit {
            let side =
                switch limit.side {
                case .first: "limitToFirst"
                case .last: "limitToLast"
                }
            words.append("\(side)=\(limit.count)")
        }
        return words
    }
}

extension QueryIndex {
    fileprivate var word: String {
        switch self {
        case .priority: "$priority"
        case .key: "$key"
        case .value: "$value"
        case .child(let path): path.description
        }
    }
}

extension QueryParameters.Bound {
    /// The end of the range, with the key that breaks ties.
    fileprivate var words: String {
        (value.map { "\($0)" } ?? "null") + (key.map { ",\($0.wire)" } ?? "")
    }
}
