/// What an error says beside its code, for programs. Each member comes with the codes that it names, and some come together.
public struct ErrorDetails: Sendable, Hashable {
    /// The reason, as one word.
    public var reason: ErrorReason?
    /// Seconds to wait before the next attempt, as in the `Retry-After` header.
    public var retryAfterSeconds: Int64?
    /// The server's clock in milliseconds since 1970. It comes with a stale proof, so that the client can correct its clock.
    public var serverDate: Int64?
    /// The invalid parameter, with ``ErrorCode/invalidParameter`` (3) and ``ErrorCode/invalidJSONFormat`` (4).
    public var parameter: String?
    /// The operator's setting that decides the refusal, by its name in `gatehouse idp set`: with ``ErrorReason/tokenUnbound``.
    public var setting: String?
    /// The app's status, with ``ErrorCode/authNotPlayable`` (3701).
    public var launchingStatus: LaunchingStatus?
    /// The maintenance window, with ``ErrorCode/authNotPlayable`` (3701).
    public var maintenance: Maintenance?
    /// What the member may do now, with ``ErrorCode/bannedMember`` (7) and ``ErrorCode/authNotPlayable`` (3701).
    public var standing: Standing?
    /// The ban, with ``ErrorCode/bannedMember`` (7) and with a session that was ended by a ban.
    public var ban: Ban?
    /// The message to the player when a session was ended, in the player's language. It always comes with a kick-out and a transfer.
    public var message: String?
    /// The identity provider whose report ended the session.
    public var provider: Provider?
    /// The identity providers with which the player of another system can log in, with ``ErrorReason/legacyProviderRequired``.
    public var providers: [Provider]?
    /// The ticket, with ``ErrorCode/authAddMappingAlreadyMappedToOtherMember`` (3302).
    public var forcingMappingTicket: ForcingMappingTicket?
    /// The block, with ``ErrorCode/authTransferAccountBlock`` (3042).
    public var transferBlock: TransferBlock?
    /// The code that a newer server answered with, with ``ErrorCode/serverUnknownError`` (8999).
    public var code: ErrorCode?
    /// What a newer server says, by its name on the wire: names that this version doesn't know, and forms that it can't read.
    public var other: [String: JSONValue]

    /// Makes the value from its parts.
    public init(
        reason: ErrorReason? = nil, retryAfterSeconds: Int64? = nil, serverDate: Int64? = nil, parameter: String? = nil,
        setting: String? = nil, launchingStatus: LaunchingStatus? = nil, maintenance: Maintenance? = nil,
        standing: Standing? = nil, ban: Ban? = nil, message: String? = nil, provider: Provider? = nil,
        providers: [Provider]? = nil, forcingMappingTicket: ForcingMappingTicket? = nil,
        transferBlock: TransferBlock? = nil, code: ErrorCode? = nil,
        other: [String: JSONValue] = [:]
    ) {
        self.reason = reason
        self.retryAfterSeconds = retryAfterSeconds
        self.serverDate = serverDate
        self.parameter = parameter
        self.setting = setting
        self.launchingStatus = launchingStatus
        self.maintenance = maintenance
        self.standing = standing
        self.ban = ban
        self.message = message
        self.provider = provider
        self.providers = providers
        self.forcingMappingTicket = forcingMappingTicket
        self.transferBlock = transferBlock
        self.code = code
        self.other = other
    }

    /// Whether there is nothing to say.
    package var isEmpty: Bool { self == ErrorDetails() }
}

extension ErrorDetails: Codable {
    private static let fields = [
        Field("reason", \.reason), Field("retryAfterSeconds", \.retryAfterSeconds), Field("serverDate", \.serverDate),
        Field("parameter", \.parameter), Field("setting", \.setting), Field("launchingStatus", \.launchingStatus),
        Field("maintenance", \.maintenance), Field("standing", \.standing), Field("ban", \.ban),
        Field("message", \.message), Field("provider", \.provider),
        Field("providers", \.providers),
        Field("forcingMappingTicket", \.forcingMappingTicket), Field("failTransferAccount", \.transferBlock),
        Field("code", \.code),
    ]

    /// Decodes the value. Whatever can't be read goes to ``other``, so that an error of a newer server is still an error (ERROR-3).
    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: Name.self)
        for name in members.allKeys {
            let field = Self.fields.first { $0.name.stringValue == name.stringValue }
            if let field, (try? field.read(&self, members)) != nil { continue }
            other[name.stringValue] = try members.decode(JSONValue.self, forKey: name)
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Name.self)
        for (name, value) in other { try members.encode(value, forKey: Name(stringValue: name)) }
        for field in Self.fields { try field.write(self, &members) }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A member whose form is known.
    private struct Field: Sendable {
        let name: Name
        let read: @Sendable (inout ErrorDetails, KeyedDecodingContainer<Name>) throws -> Void
        let write: @Sendable (ErrorDetails, inout KeyedEncodingContainer<Name>) throws -> Void

        init<Value: Codable & Sendable>(_ text: String, _ path: any WritableKeyPath<ErrorDetails, Value?> & Sendable) {
            let name = Name(stringValue: text)
            self.name = name
            read = { $0[keyPath: path] = try $1.decode(Value.self, forKey: name) }
            write = { try $1.encodeIfPresent($0[keyPath: path], forKey: name) }
        }
    }
}
