import HearthEngine

/// The keys for what programs may read.
extension ConfigurationTable {
    static let ledger = ConfigurationSection(
        "ledger", takesEffectAtOnce: true,
        introduction: """
            What programs read from Firestore, counted as Google bills it; `hearth ledger` and `hearth \
            top` show it. A program is a Unix user, a service's unit and a program's name. Days end at \
            midnight UTC. The journal warns at four fifths of a budget, and at its end.
            """,
        keys: [
            .count(
                "readBudget", \.readBudget, 0...(1 << 40), of: .database,
                "Documents that each program may read in a day."
            ).told(
                "Documents that each program may read from the backend in a day; 0 for any number."),
            .count(
                "uidReadBudget", \.uidReadBudget, 0...(1 << 40), of: .user,
                "Documents that all programs of one Unix user may read in a day."
            ).told(
                """
                Documents that all programs of one Unix user together may read from the backend in a \
                day, whatever the programs call themselves; 0 for any number. A user's programs beyond \
                the first 32 of a day share one row and one readBudget.
                """),
            .budgets(
                "budgets", \.ledgerTerms, "Budgets of single units and users."
            ).told(
                """
                Budgets of single units and Unix users for a day, such as ["unit menu.service 50000", \
                "uid 1001 20000"]; 0 for any number. A unit's is for all its programs together, in the \
                place of readBudget; a user's is in the place of uidReadBudget. A program stops at the \
                first budget that is used up: its own or its unit's, and its user's. Between the \
                flag's budgets stands a comma.
                """),
            .choice(
                "onBudget", "word", \.ledgerTerms.onBudget,
                "A program at its budget: warn or stop."
            ).told(
                """
                What happens to a program at the end of a budget: "warn", and only the journal tells; or \
                "stop", and until the day ends the program reads from the cache alone, and what needs \
                the backend fails with RESOURCE_EXHAUSTED. Its writes go on. The program may read a \
                few documents more, because they are counted when the backend has sent them.
                """),
            .count(
                "retentionDayCount", \.ledgerTerms.retentionDayCount, 1...3_650, of: .database,
                "Days that the ledger keeps."
            ).told("Days that the ledger keeps in the store."),
        ])
}
