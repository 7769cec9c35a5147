import GatehousePlatform
package import GatehouseSecurity
package import GatehouseServerWire
package import GatehouseStorage
import GatehouseWire

/// An action of operators that says about itself what everybody else needs. The console's form, its confirmation and its result, the
/// record in the audit, the role's check and the reference are made from this one value.
package protocol OperatorAction: Action {
    static var about: OperatorActionAbout { get }
    /// What has to be chosen, in the order of the form.
    static var inputs: [Input<Self>] { get }

    /// What an address or a form is about: by default as the subject of ``about`` says.
    ///
    /// - Throws: 3 if it names nothing of the kind.
    static func target(_ values: InputValues) throws -> ActionTarget

    /// The action before its inputs are read.
    ///
    /// - Throws: 3 for a target that it can't have.
    init(on target: ActionTarget) throws

    /// What it is about: by default what there is one of in an app.
    var subject: ActionTarget { get }

    /// Fills in what the form shows at first. Hidden inputs are read already.
    ///
    /// - Throws: what makes the action impossible, whatever is chosen.
    mutating func begin(_ context: OperatorContext, in tx: Reader) throws

    /// What it would do, beside its form.
    ///
    /// - Throws: ``InputProblems`` for what can't be done as it was chosen.
    func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview

    /// How the page of a member offers the action; nil, as by default, if it doesn't.
    static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis?

    /// Whether, as the undo of another action, it needs no choice, because its form begins with what was before: by default it does.
    static var undoesExactly: Bool { get }

    /// What the server chooses for who has left it open, before it says what would happen, because nothing else must be done then: the
    /// fields by their names. Nil, as by default, where it chooses nothing.
    static var choosing: (@Sendable (Self, Reader) throws -> [String: String])? { get }

    /// What the result page shows of what came of it.
    static func result(_ outcome: Outcome) -> ActionResult
}

extension OperatorAction {
    package static var permission: Permission { .administer }
    package static var role: OperatorRole { about.role }
    package static var inputs: [Input<Self>] { [] }
    package static func target(_ values: InputValues) throws -> ActionTarget { try about.subject.target(values) }
    package var subject: ActionTarget { Self.about.subject.whole ?? .app }
    package var audited: AuditedRun? { AuditedRun(Self.about.name, on: subject) }
    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {}
    package static func emphasis(on report: MemberReport, for actor: Actor) -> OperatorActionEmphasis? { nil }
    package static var undoesExactly: Bool { true }
    package static var choosing: (@Sendable (Self, Reader) throws -> [String: String])? { nil }
    package var roles: OperatorRoles { Self.about.roles }
    package static func result(_ outcome: Outcome) -> ActionResult { ActionResult() }
}

/// How a page offers an action, in the order of the page.
package enum OperatorActionEmphasis: CaseIterable {
    /// What the member's state asks for.
    case primary
    case plain
    /// What can't be undone.
    case danger
}

extension OperatorAction where Outcome == MembersOutcome {
    package static func result(_ outcome: MembersOutcome) -> ActionResult {
        ActionResult(failed: outcome.failedUserIds)
    }
}

/// What is the same for every run of an operator's action.
package struct OperatorActionAbout: Sendable {
    /// What stands between the form and the change.
    package enum Step: Int, Sendable, Comparable {
        /// Nothing, as for a note.
        case plain
        /// What will happen is shown, and a reason is given.
        case confirmed
        /// In addition, a sign-in of the last ten minutes.
        case fresh
        /// In addition, a word that has to be typed.
        case typed

        package static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }
    }

    /// What the action is about, by which its address names it.
    package enum Subject: Sendable {
        case member
        /// The members that the field `users` lists.
        case members
        /// The app's own settings.
        case app
        case provider, banTemplate, reply, testDevice, clientRules, signingKeys, secrets, job, alertReceivers
        /// An operator, by name.
        case person
        /// An app that is about to be made.
        case newApp

        /// Whether it is of the server as a whole, and of no app.
        package var isOfServer: Bool { self == .person || self == .newApp }
    }

    /// The name in the audit, in the address and in the words' keys, such as `member.banned`.
    package let name: String
    package let role: OperatorRole
    package let step: Step
    /// The part of the console in which its pages are.
    package let section: String
    package let subject: Subject
    /// The action that undoes it; nil if none can.
    package let undo: (any OperatorAction.Type)?
    /// Whether its result is shown in the section, and not on the page of its subject.
    package let leadsToSection: Bool
    /// The part of the subject's page to which *Cancel* leads back.
    package let anchor: String?

    package init(
        _ name: String, role: OperatorRole, step: Step, section: String = "members", subject: Subject = .member,
        undo: (any OperatorAction.Type)? = nil, leadsToSection: Bool = false, anchor: String? = nil
    ) {
        self.name = name
        self.role = role
        self.step = step
        self.section = section
        self.subject = subject
        self.undo = undo
        self.leadsToSection = leadsToSection
        self.anchor = anchor
    }
}

extension OperatorActionAbout {
    /// Whether it is about the server as a whole, and not about an app.
    package var isOfServer: Bool { subject.isOfServer }

    var roles: OperatorRoles {
        isOfServer ? OperatorRoles(inApp: nil, onServer: role) : OperatorRoles(inApp: role, onServer: nil)
    }
}

extension OperatorActionAbout.Subject {
    /// What an address or a form is about.
    ///
    /// - Throws: 3 if it names nothing of the kind.
    package func target(_ values: InputValues) throws -> ActionTarget {
        switch self {
        case .member: .member(UserID(try values.name("user", "member")))
        case .members: .members(listedIn: values.text("users") ?? "")
        case .app: .app
        case .provider: .provider(Provider(try values.name("provider", "provider")))
        case .banTemplate: .banTemplate(values.text("template").flatMap { Int($0) } ?? 0)
        case .reply: .reply(values.text("reply").flatMap { Int($0) } ?? 0)
        case .testDevice: .testDevice(KeyThumbprint(String((values.text("device") ?? "").prefix(64))))
        case .clientRules: .clientRules
        case .signingKeys: .signingKeys
        case .secrets: .secrets
        case .job: .job(try values.name("job", "job"))
        case .alertReceivers: .alertReceivers
        case .person: .person((values.text("name") ?? "").typedName)
        case .newApp: .newApp(AppRules.id(typed: values.text("appId") ?? ""))
        }
    }

    /// What there is one of in an app; nil for what an action names.
    fileprivate var whole: ActionTarget? {
        switch self {
        case .app: .app
        case .clientRules: .clientRules
        case .signingKeys: .signingKeys
        case .secrets: .secrets
        case .alertReceivers: .alertReceivers
        case .member, .members, .provider, .banTemplate, .reply, .testDevice, .job, .person, .newApp: nil
        }
    }
}

extension ActionTarget {
    /// - Throws: 3 if it is no member.
    func requireMember() throws -> UserID {
        guard case .member(let user) = self else { throw Refusal.parameter("user", "The action is about a member.") }
        return user
    }
}

/// Reads the fields of an operator's action, as its form shows them at first.
package struct ReadForm<A: OperatorAction>: UseCase {
    package let permission = Permission.administer
    package var roles: OperatorRoles { A.about.roles }

    let action: A
    let languages: [String]

    /// - Parameters:
    ///   - action: with its hidden inputs.
    ///   - languages: those for which the form has a field, where players read a text.
    package init(of action: A, in languages: [String] = []) {
        self.action = action
        self.languages = languages
    }

    package func perform(_ work: Work) async throws -> [InputField] {
        let seen = OperatorContext(of: work, formLanguages: languages)
        return try await work.report { tx in
            var action = action
            try action.begin(seen, in: tx)
            return try A.inputs.flatMap { try $0.fields(action, seen, tx) }
        }
    }
}

/// Reads what an operator's action would do.
package struct ReadPreview<A: OperatorAction>: UseCase {
    package let permission = Permission.administer
    package var roles: OperatorRoles { A.about.roles }

    let action: A
    let languages: [String]

    /// - Parameter languages: those in which it says what players will read, beside those of the app's texts.
    package init(of action: A, in languages: [String] = []) {
        self.action = action
        self.languages = languages
    }

    package func perform(_ work: Work) async throws -> Preview {
        let seen = OperatorContext(of: work, formLanguages: languages)
        return try await work.report { tx in try action.preview(seen, in: tx) }
    }
}

extension UseCase where Self == Read<[String: String]> {
    /// What the server chooses for who has left it open (``OperatorAction/choosing``).
    package static func chosen<A: OperatorAction>(for action: A) -> Self {
        Read(A.about.roles) { _, tx in try A.choosing?(action, tx) ?? [:] }
    }
}

/// Who looks at an operator's action, where, and when.
package struct OperatorContext: Sendable {
    /// The context of the call in which the action runs.
    let call: CallContext
    let actor: Actor
    /// Opens secrets, because an action may depend on which of them are set.
    let vault: KeyVault
    /// The languages for which every form has a field, where players read a text.
    let formLanguages: [String]

    package init(call: CallContext, actor: Actor, services: Services, formLanguages: [String] = []) {
        self.call = call
        self.actor = actor
        vault = services.vault
        self.formLanguages = formLanguages
    }

    /// What the operator sees whose action runs.
    init(of work: Work, formLanguages: [String] = []) {
        self.init(call: work.context, actor: work.actor, services: work.services, formLanguages: formLanguages)
    }

    var app: App { call.app }
    /// Nil where it is about the server as a whole.
    var appID: AppID? { call.appID }
    package var moment: Moment { call.moment }
    package var role: OperatorRole { actor.knownRole }

    /// A member of the app, with what holds it.
    ///
    /// - Throws: ``GatehouseWire/ErrorCode/authNotExistMember`` for an unknown one.
    func account(of user: UserID, in tx: Reader) throws -> Account {
        try MemberRules.known(user, app: app.id, in: tx)
    }

    /// The record of an earlier action, if the operator may see it; nil without an id.
    func earlier(_ id: String?, in tx: Reader) throws -> OperatorRecord? {
        guard let id, id.utf8.count <= 64, let record = try OperatorRecordQueries.find(id, in: tx),
            record.app == app.id,
            OperatorRecordRules.maySee(record, actor)
        else { return nil }
        return record
    }
}

/// The lists of operators' actions. What stands here is in the console.
package enum OperatorActions {
    /// Those on an app.
    package static let all: [any OperatorAction.Type] = [
        BanMember.self, ReleaseBan.self, ChangeBan.self, BanListedMembers.self, ReleaseListedBans.self,
        AddMemberNote.self, EditMemberNote.self, PinMemberNote.self, WithdrawMember.self,
        CancelMemberWithdrawal.self, ReleaseGraceBan.self,
        KickOutMember.self, SecureMember.self, EndMemberSession.self, RestoreMember.self, RemoveMemberMapping.self,
        MoveMemberMapping.self,
        UnblockTransferAccount.self, ReissueTransferAccount.self, VoidTransferAccount.self, BeginGraceBan.self,
        RecordPayment.self,
        RotateSigningKey.self, ReplaceSigningKeys.self, CreateSecret.self, RevokeSecret.self, RevokeOldSecrets.self,
        RetryJob.self, RetryFailedJobs.self, GiveUpJob.self, EnableIdentityProvider.self, DisableIdentityProvider.self,
        RenameApp.self, SetStatus.self, TerminateService.self, KickOutEveryone.self, SetAccountPolicy.self,
        SetLimits.self,
        SetTransferPolicy.self,
        PlanMaintenance.self, ChangeMaintenance.self, EndMaintenance.self,
        AddTestDevice.self, RemoveTestDevice.self, AddBanTemplate.self, ChangeBanTemplate.self,
        ArchiveBanTemplate.self, RestoreBanTemplate.self, AddClientRule.self, ChangeClientRule.self,
        RemoveClientRule.self, MoveClientRule.self, AddReply.self, ChangeReply.self, RemoveReply.self,
        AddAlertReceiver.self, ChangeAlertReceiver.self, RemoveAlertReceiver.self, TestAlertReceiver.self,
    ]

    /// Those of owners of the server, on what belongs to no app.
    package static let ofServer: [any OperatorAction.Type] = [
        CreateApp.self, InviteOperator.self, GrantOperator.self, ResetOperatorFactor.self, DisableOperator.self,
        EnableOperator.self,
    ]

    /// Those on an app that depend on an identity provider's kind, or on where the server is reached: the console makes their forms, and
    /// `gatehouse idp` has options of its own.
    package static let ofProviders: [any OperatorAction.Type] = [SaveIdentityProvider.self, TestIdentityProvider.self]

    /// All of them by their names in the audit.
    package static let named: [String: any OperatorAction.Type] = Dictionary(
        (all + ofServer + ofProviders).map { ($0.about.name, $0) }
    ) { first, _ in first }

    /// The names in the audit of what only the command does: to an app, and to the server.
    package static let namesOfCommand = (
        app: [
            AppEvent.importBegun, .importUndone, .legacySourceSet, .legacySourceClosed, .membersExported,
        ].map(\.rawValue) + [EventName.legacyReleased.rawValue],
        server: ["master-key.changed", "master-key.replaced"]
    )
}
