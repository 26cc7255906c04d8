import Hearth

/// Lists of batches: asked for page by page, printed line by line.
enum BatchPages {
    /// Asks for one page after the other.
    static func all<Entry: Identifiable>(
        _ limit: Int, _ page: (Int64?, Int) async throws -> ([Entry], Bool)
    ) async throws -> [Entry] where Entry.ID == Int64 {
        var entries: [Entry] = []
        while entries.count < limit {
            let (next, hasMore) = try await page(
                entries.last?.id, min(limit - entries.count, 1_000))
            entries += next
            if !hasMore || next.isEmpty { break }
        }
        return entries
    }

    /// Prints batches; if there are none, says that nothing `verb`.
    static func print(_ batches: [BatchText], _ connection: ConnectionOptions, _ verb: String) {
        for batch in batches {
            Terminal.print(connection.json ? batch.report.line : batch.line)
        }
        if batches.isEmpty, !connection.json, !connection.quiet {
            Terminal.write("Nothing \(verb).\n", to: .error)
        }
    }

    /// Prints one batch and its writes, a line for each.
    static func print(
        _ batch: BatchText, _ writes: [PendingWrite], _ connection: ConnectionOptions
    ) {
        guard !connection.json else { return Terminal.print(batch.report(of: writes).line) }
        Terminal.print(batch.line)
        for write in writes {
            Terminal.print("  " + ValueWriter.write(WriteText.literal(write), as: .json))
        }
    }
}
