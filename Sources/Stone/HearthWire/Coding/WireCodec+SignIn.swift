import HearthModel
import HearthProtocol

extension WireCodec {
    static func encode(_ order: SignInOrder) -> ProtoWireAuthenticate {
        var proto = ProtoWireAuthenticate()
        switch order {
        case .tell: break
        case .signIn(let way): proto.signIn = encode(way)
        case .signOut: proto.signOut = true
        }
        return proto
    }

    static func decode(_ proto: ProtoWireAuthenticate) throws(WireError) -> SignInOrder {
        switch proto.change {
        case nil: .tell
        case .signIn(let proto): .signIn(try decode(proto))
        case .signOut(let isWanted): isWanted ? .signOut : .tell
        }
    }

    private static func encode(_ way: SignInWay) -> ProtoWireAuthenticate.SignIn {
        var proto = ProtoWireAuthenticate.SignIn()
        switch way {
        case .password(let email, let password): proto.account = account(email, password)
        case .newAccount(let email, let password): proto.newAccount = account(email, password)
        case .customToken(let token): proto.customToken = token.revealed
        case .anonymous: proto.anonymous = true
        }
        return proto
    }

    private static func account(
        _ email: String, _ password: Secret
    ) -> ProtoWireAuthenticate.Account {
        var proto = ProtoWireAuthenticate.Account()
        proto.email = email
        proto.password = password.revealed
        return proto
    }

    private static func decode(
        _ proto: ProtoWireAuthenticate.SignIn
    ) throws(WireError) -> SignInWay {
        switch proto.way {
        case .account(let account):
            return .password(email: account.email, Secret(account.password))
        case .newAccount(let account):
            return .newAccount(email: account.email, Secret(account.password))
        case .customToken(let token): return .customToken(Secret(token))
        case .anonymous(true): return .anonymous
        case .anonymous(false), nil: throw .codec(CodecError(.missing, at: "way"))
        }
    }

    static func encode(_ report: SignInReport) -> ProtoWireSignInReport {
        var proto = ProtoWireSignInReport()
        proto.user = report.user.rawValue
        proto.source = report.source
        proto.isChangeable = report.isChangeable
        proto.problem = report.problem ?? ""
        return proto
    }

    static func decode(_ proto: ProtoWireSignInReport) -> SignInReport {
        SignInReport(
            user: UserID(proto.user), source: proto.source, isChangeable: proto.isChangeable,
            problem: proto.problem.isEmpty ? nil : proto.problem)
    }
}
