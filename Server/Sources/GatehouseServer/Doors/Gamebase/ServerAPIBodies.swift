import GatehouseCore
import GatehouseJSON
import GatehouseWire

// The bodies of the Server API, with Gamebase's names. A date is a ServerAPIDate, because its format depends on the version.

/// The header of every response.
struct ResultHeader: JSONWritable, Sendable {
    let transactionId: TransactionID
    let isSuccessful: Bool
    let resultCode: ResultCode
    let resultMessage: String
    /// Present exactly in failures: a client of Gamebase once crashed without it.
    let traceError: TraceError?

    static func success(_ id: TransactionID) -> ResultHeader {
        ResultHeader(
            transactionId: id, isSuccessful: true, resultCode: .success, resultMessage: "SUCCESS", traceError: nil)
    }

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("transactionId", transactionId.rawValue)
            $0.member("isSuccessful", isSuccessful)
            $0.member("resultCode", Int64(resultCode.rawValue))
            $0.member("resultMessage", resultMessage)
            $0.member("traceError", traceError)
        }
    }
}

struct TraceError: JSONWritable, Sendable {
    /// Milliseconds since 1970, UTC.
    let trackingTime: Int64
    /// The module that refused the call: `gateway`, `member` or `launching`.
    let throwPoint: String
    let uri: String

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("trackingTime", trackingTime)
            $0.member("throwPoint", throwPoint)
            $0.member("uri", uri)
        }
    }
}

struct FailureAnswer: Encodable, Sendable {
    let header: ResultHeader
}

/// A response that reports only success.
struct DoneAnswer: Encodable, Sendable {
    let header: ResultHeader
}

// MARK: Members

struct AuthEntry: JSONWritable, Sendable {
    let userId: UserID
    let authSystem: String
    let idPCode: Provider
    let authKey: String
    let regDate: ServerAPIDate

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("userId", userId.rawValue)
            $0.member("authSystem", authSystem)
            $0.member("idPCode", idPCode.rawValue)
            $0.member("authKey", authKey)
            $0.member("regDate", regDate)
        }
    }
}

struct GracePeriod: JSONWritable, Sendable {
    let gracePeriodDate: ServerAPIDate

    func write(to text: inout JSONBytes) { text.object { $0.member("gracePeriodDate", gracePeriodDate) } }
}

struct MemberEntry: JSONWritable, Sendable {
    let userId: UserID
    let valid: MemberStatus
    let appId: AppID
    let regDate: ServerAPIDate
    /// Absent before the second login, and for a withdrawn member.
    let lastLoginDate: ServerAPIDate?
    var authList: [AuthEntry]?
    /// In the response about a token it is here; in the response about a member it is beside the member.
    var temporaryWithdrawal: GracePeriod?

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("userId", userId.rawValue)
            $0.member("valid", valid.rawValue)
            $0.member("appId", appId.rawValue)
            $0.member("regDate", regDate)
            $0.member("lastLoginDate", lastLoginDate)
            $0.member("authList", authList)
            $0.member("temporaryWithdrawal", temporaryWithdrawal)
        }
    }
}

struct BriefEntry: JSONWritable, Sendable {
    let userId: UserID
    let valid: MemberStatus
    let appId: AppID
    let regDate: ServerAPIDate

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("userId", userId.rawValue)
            $0.member("valid", valid.rawValue)
            $0.member("appId", appId.rawValue)
            $0.member("regDate", regDate)
        }
    }
}

struct LinkedIdP: JSONWritable, Sendable {
    let idPCode: Provider
    let idPId: String

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("idPCode", idPCode.rawValue)
            $0.member("idPId", idPId)
        }
    }
}

struct TokenAnswer: JSONWritable, Sendable {
    let header: ResultHeader
    let linkedIdP: LinkedIdP?
    let member: MemberEntry

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("header", header)
            $0.member("linkedIdP", linkedIdP)
            $0.member("member", member)
        }
    }
}

struct IdPAnswer: Encodable, Sendable {
    struct Token: Encodable, Sendable {
        let idPCode: Provider
        /// The identity provider's token, which is the purpose of the call.
        let accessToken: String?
    }

    let header: ResultHeader
    let idPProfile: [String: JSONValue]
    let idPToken: Token
}

struct MemberAnswer: Encodable, Sendable {
    let header: ResultHeader
    let member: MemberEntry
    let temporaryWithdrawal: GracePeriod?
    let memberInfo: ClientInformation?
}

struct MembersAnswer: JSONWritable, Sendable {
    let header: ResultHeader
    let memberList: [BriefEntry]

    func write(to text: inout JSONBytes) {
        text.object {
            $0.member("header", header)
            $0.member("memberList", memberList)
        }
    }
}

struct AuthKeysAnswer: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        let authKey: String
        let idPCode: Provider
        let authSystem: String
    }

    let header: ResultHeader
    let result: [String: [Entry]]
}

struct UserIDsAnswer: Encodable, Sendable {
    let header: ResultHeader
    let result: UsersByName
}

/// An object that maps names to user ids. Names that only look alike stay distinct.
struct UsersByName: Encodable, Sendable {
    var users: [ExactText: UserID]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for (name, user) in users { try container.encode(user, forKey: Name(stringValue: name.text)) }
    }
}

struct TransferAccountBody: Decodable, Sendable {
    struct Account: Decodable, Sendable {
        let id: String
        let password: TransferPassword
    }

    let account: Account
}

struct TransferAccountAnswer: Encodable, Sendable {
    let header: ResultHeader
    let member: MemberEntry
}
