import HearthEngine
import HearthModel
import HearthWire

/// Gets of single documents, which Firestore's memory of hot documents may answer without a turn.
extension SessionMachine {
    /// Whether a frame of a kind may be answered from the memory of hot documents, without a turn.
    ///
    /// A frame may not be answered so while a request of the session waits that may change
    /// documents, because the answer would overtake the request. `received` refuses the number 0
    /// and numbers in use.
    package func mayAnswerFromMemory(kind: UInt8, number: UInt64) -> Bool {
        guard case .open = state, kind == CachedGet.kind, number != 0 else { return false }
        return owed.changeCount == 0 && !owed.isInUse(number)
    }

    /// Whether the rules let the session read the document that a get from the cache alone names.
    ///
    /// `received` handles a forbidden document and a get that is spelled otherwise.
    package func mayRead(documentIn body: RawSpan) -> Bool {
        guard let grant else { return false }
        if grant.holdsEverywhere(.read) { return true }
        guard let bytes = CachedGet.documentName(in: body),
            let name = DocumentName(String(decoding: bytes, as: UTF8.self)),
            self.key == .firestore(name.database), let key = DocumentKey(name.path)
        else { return false }
        return grant.refusal(of: .read, to: .document(key.path)) == nil
    }
}
