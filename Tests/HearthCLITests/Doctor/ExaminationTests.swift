import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth
@testable import HearthCLI

struct ExaminationTests {
    private func status(_ change: (inout StatusReport) -> Void = { _ in }) -> DaemonStatus {
        var report = StatusReport(database: .firestore(DatabaseID(project: "demo")))
        report.onlineState = .online
        change(&report)
        return DaemonStatus(report)
    }

    private func examination(_ change: (inout Examination) -> Void) -> Examination {
        var examination = Examination(socketPath: "/run/hearth/hearth.sock")
        change(&examination)
        return examination
    }

    private func cure(of subject: String, in examination: Examination) -> String? {
        examination.findings.first { $0.subject == subject && $0.grade != .fine }?.cure
    }

    @Test func `a machine in order has nothing to cure`() {
        let examination = examination {
            $0.statuses = [status()]
            $0.isClockSynchronized = true
            $0.disk = (freeByteCount: 1 << 40, byteCount: 1 << 41)
        }
        #expect(examination.findings.allSatisfy { $0.grade == .fine })
        #expect(
            examination.findings.map(\.subject)
                == ["socket", "daemon", "backend", "queue", "disk", "clock"])
    }

    @Test func `a backend without a connection is not needed now, whatever was before`() {
        let examination = examination { $0.statuses = [status { $0.onlineState = .unknown }] }
        let backend = examination.findings.first { $0.subject == "backend" }
        #expect(backend?.grade == .fine)
        #expect(backend?.state.contains("is not needed now") == true)
    }

    @Test func `a socket that is missing is enabled where systemd has it`() {
        let system = examination { $0.socket = .missing }
        #expect(cure(of: "socket", in: system)?.hasPrefix("systemctl enable --now") == true)
        let own = examination {
            $0.socketPath = "/tmp/own.sock"
            $0.socket = .missing
        }
        #expect(cure(of: "socket", in: own)?.contains("--socket") == true)
    }

    @Test func `a daemon that gives no answer is started anew`() {
        let system = examination { $0.isSilent = true }
        #expect(cure(of: "daemon", in: system)?.contains("systemctl restart hearthd") == true)
        let own = examination {
            $0.socketPath = "/tmp/own.sock"
            $0.isSilent = true
        }
        #expect(cure(of: "daemon", in: own)?.contains("start it again") == true)
        #expect(!own.findings.contains { $0.state.contains("answers") })
    }

    @Test func `who may not connect is told how to join the group`() {
        let cures: [(Examination.Membership, String)] = [
            (.stranger, "usermod --append --groups hearth-client ada"),
            (.memberAfterLogin, "newgrp hearth-client"),
            (.noGroup, "Install the package anew"),
            (.member, "restart hearthd.socket"),
        ]
        for (membership, words) in cures {
            let examination = examination {
                $0.user = "ada"
                $0.socket = .denied
                $0.membership = membership
            }
            #expect(cure(of: "group", in: examination)?.contains(words) == true)
        }
    }

    @Test func `a backend that fails is told by its cause`() {
        let causes: [(Examination.Reach, String)] = [
            (.unknownHost, "name service"), (.failed("Connection refused"), "firewall"),
            (.reached, "journalctl"),
        ]
        for (reach, words) in causes {
            let examination = examination {
                $0.statuses = [status { $0.onlineState = .offline }]
                $0.reach = ["": reach]
            }
            #expect(cure(of: "backend", in: examination)?.contains(words) == true)
        }
        let silent = examination {
            $0.statuses = [
                status {
                    $0.onlineState = .unknown
                    $0.connectionError = HearthError(code: .unavailable, message: "Nobody.")
                }
            ]
        }
        #expect(cure(of: "backend", in: silent)?.contains("hearth queue retry") == true)
        let behind = examination {
            $0.statuses = [
                status {
                    $0.onlineState = .offline
                    $0.connectionError = HearthError(code: .unavailable, message: "It is behind.")
                }
            ]
            $0.reach = ["": .reached]
        }
        let found = behind.findings.first { $0.subject == "backend" }
        #expect(found?.state.contains("does not serve the daemon: ") == true)
        #expect(found?.state.contains("It is behind.") == true)
        let kept = examination { $0.statuses = [status { $0.isNetworkEnabled = false }] }
        #expect(cure(of: "backend", in: kept) == "hearth network on")
    }

    @Test func `what the daemon says of itself is a problem of its own`() {
        let examination = examination {
            let reasons = ["The disk is full.", "The key is missing."]
            $0.statuses = [
                status { $0.degradedReasons = reasons }, status { $0.degradedReasons = reasons },
            ]
        }
        #expect(
            examination.findings.filter { $0.subject == "degraded" }.map(\.state)
                == ["The disk is full.", "The key is missing."])
    }

    @Test func `what a database has lost is a problem until somebody removes the report`() {
        let examination = examination {
            $0.statuses = [
                status {
                    $0.losses = [
                        StoreLoss(
                            noticedAt: HearthModel.Timestamp(seconds: 5, nanoseconds: 0),
                            account: "It was emptied.", path: "/x.damaged-5-report")
                    ]
                }
            ]
        }
        #expect(
            examination.findings.filter { $0.subject == "loss" }.map(\.state)
                == ["It was emptied."])
        #expect(cure(of: "loss", in: examination)?.contains("/x.damaged-5-report") == true)
    }

    @Test func `a queue that nobody can count is no empty queue`() {
        let examination = examination {
            $0.statuses = [status { $0.hasUnknownCounts = true }]
        }
        let finding = examination.findings.first { $0.subject == "queue" }
        #expect(finding?.state.hasPrefix("Nobody knows how many batches wait") == true)
        #expect(cure(of: "queue", in: examination)?.contains("remove none of its files") == true)
    }

    @Test func `rejected writes, a full disk and a free clock are seen to`() {
        let examination = examination {
            $0.statuses = [status { $0.deadLetterCount = 3 }]
            $0.disk = (freeByteCount: 1_000, byteCount: 1 << 40)
            $0.isClockSynchronized = false
        }
        #expect(cure(of: "queue", in: examination) == "hearth dead-letters --by-cause")
        #expect(cure(of: "disk", in: examination)?.contains("cache.byteCountMax") == true)
        #expect(cure(of: "clock", in: examination) == "timedatectl set-ntp true")
    }

    @Test func `held batches are seen to, also beside dead letters`() {
        for deadLetterCount in [0, 2] {
            let examination = examination {
                $0.statuses = [
                    status {
                        $0.queueBatchCount = 6
                        $0.heldBatchCount = 4
                        $0.deadLetterCount = deadLetterCount
                    }
                ]
            }
            let queue = examination.findings.filter { $0.subject == "queue" }
            #expect(queue.count == (deadLetterCount == 0 ? 1 : 2))
            #expect(queue.allSatisfy { $0.grade == .warning })
            #expect(queue.last?.state.hasPrefix("6 batches wait, 4 of them held: ") == true)
            #expect(queue.last?.cure == "hearth queue release --all")
        }
    }

    @Test func `every open database is examined, and a cure names its instance`() throws {
        let instance = try #require(InstanceID(project: "demo"))
        var report = StatusReport(database: .realtime(instance))
        report.deadLetterCount = 1
        report.onlineState = .offline
        report.upstream = "demo-default-rtdb.firebaseio.com:443"
        let examination = examination {
            $0.statuses = [status(), DaemonStatus(report)]
            $0.reach = [report.upstream: .failed("Connection refused")]
        }
        #expect(examination.findings.count { $0.subject == "queue" } == 2)
        #expect(cure(of: "backend", in: examination)?.contains("realtime.instance") == true)
        #expect(
            cure(of: "queue", in: examination)
                == "hearth dead-letters --by-cause "
                + "--instance 'https://demo-default-rtdb.firebaseio.com'")
    }

    @Test(arguments: [
        ("firestore.googleapis.com:443", "firestore.googleapis.com", "443"),
        ("demo-default-rtdb.firebaseio.com", "demo-default-rtdb.firebaseio.com", "443"),
        ("[::1]:8080", "::1", "8080"), ("localhost:9000", "localhost", "9000"),
    ])
    func `an address is tried at its port`(address: String, host: String, port: String) {
        #expect(Examiner.parts(of: address) == (host, port))
    }
}
