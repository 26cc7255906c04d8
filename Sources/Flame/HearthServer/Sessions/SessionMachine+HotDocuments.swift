import HearthModel
import HearthWire

/// Gets of single documents, which Firestore's memory of hot ones may answer without a turn.
extension SessionMachine {
    /// Whether a frame of a kind may be answered from the memory of hot documents, without a turn.
    ///
    /// Not while something of the session's own waits that may change documents: the answer would
    /// overtake it. A number that is in use, or none, is for `received` to refuse.
    package func mayAnswerFromMemory(kind: UInt8, number: UInt64) -> Bool {
        guard case .open = state, kind == CachedGet.kind, number != 0 else { return false }
        return owed.changeCount == 0 && !owed.isInUse(number)
    }

    /// Whether the rules let the session read the document that a get from the cache alone names.
    /// What they do not, and whatever is spelled otherwise, is for `received`.
    package func mayRead(documentIn body: RawSpan) -> Bool {
        guard let grant else { return false }
        if grant.holdsEverywhere(.read) { return true }
        guard let bytes = CachedGet.documentName(in: body),
            let name = DocumentName(String(decoding: bytes, as: UTF8.self)),
            name.database == database, let key = DocumentKey(name.path)
        else { return false }
        return grant.refusal(of: .read, to: .document(key.path)) == nil
    }
}
