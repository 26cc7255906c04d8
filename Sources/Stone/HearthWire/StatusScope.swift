/// How much a listener to the daemon's state is told.
package enum StatusScope: Hashable, Sendable, CaseIterable {
    /// The session's database, as far as `DaemonState` of the library shows the database.
    case database
    /// Every open database, with all that a status has.
    case allDatabases
}

extension StatusScope {
    /// The question that has the same answer, once.
    package var inquiry: Inquiry {
        switch self {
        case .database: .status
        case .allDatabases: .inspection(.databases)
        }
    }

    /// What of a report makes news for the listener: two reports with the same essence differ in
    /// nothing that the listener is to hear of.
    package func essence(of report: StatusReport) -> StatusReport {
        switch self {
        case .database:
            var essence = StatusReport(database: report.database)
            essence.isNetworkEnabled = report.isNetworkEnabled
            essence.onlineState = report.onlineState
            essence.isIdle = report.seemsIdle
            essence.hasUnknownCounts = report.hasUnknownCounts
            essence.queueBatchCount = report.queueBatchCount
            essence.heldBatchCount = report.heldBatchCount
            essence.oldestWrittenAt = report.oldestWrittenAt
            essence.deadLetterCount = report.deadLetterCount
            essence.connectionError = report.connectionError
            return essence
        case .allDatabases:
            var essence = report
            essence.uptime = .zero
            essence.nextAttemptDelay = nil
            return essence
        }
    }
}

extension Report {
    /// The report to a listener of a scope. Only databases of the scope may be among `reports`.
    package init?(_ reports: [StatusReport], in scope: StatusScope) {
        switch scope {
        case .database:
            guard let report = reports.first else { return nil }
            self = .status(report)
        case .allDatabases:
            var inspection = Inspection()
            inspection.databases = reports
            self = .inspection(inspection)
        }
    }

    /// The databases of a report of the daemon's state; `nil` for a report of anything else.
    package var statuses: [StatusReport]? {
        if case .status(let report) = self { return [report] }
        if case .inspection(let inspection) = self { return inspection.databases }
        return nil
    }
}
