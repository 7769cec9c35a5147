import GatehouseImport
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Who may ask for which action, as a table over all actions.
@Suite struct PermissionTests {
    private static let play: [any Action.Type] = [
        LogIn.self, LogInWithLastProvider.self, ChangeLogin.self, RefreshSession.self, SendHeartbeat.self, LogOut.self,
        BeginLogin.self, CompleteBrowserLogin.self, AddMapping.self, ForceMapping.self, RemoveMapping.self,
        IssueTransferAccount.self, RenewTransferAccount.self, QueryTransferAccount.self, IssueTransferKey.self,
        RedeemTransferAccount.self, RedeemTransferKey.self, MigratePlayer.self, IssueMigrationTicket.self,
        Withdraw.self, RequestWithdrawal.self,
        CancelWithdrawal.self, ReadOwnMember.self, ListOwnSessions.self, EndOwnSession.self, EndOtherSessions.self,
        ReadOwnProfile.self, ReadLaunchingInformation.self, ReadKeys.self,
    ]
    private static let serve: [SecretKeyScope: [any Action.Type]] = [
        .check: [CheckToken.self, ListRevocations.self, ValidateTransferAccount.self, ReadServiceStatus.self],
        .moderate: [
            BanMembers.self, ReleaseBans.self, KickOut.self, ListBans.self,
        ] + selfDescribing { $0 == .serve(.moderate) },
        .erase: [ListWithdrawals.self] + selfDescribing { $0 == .serve(.erase) },
        .profile: [
            FindMember.self, FindMembers.self, FindIdentities.self, FindOwners.self, ReadProviderProfile.self,
            ReadProfileByToken.self, ListMemberSessions.self, LookUpMigrations.self,
        ],
        .migrate: [ConfirmMigration.self],
    ]
    /// The operators' actions that describe themselves, by their permission.
    private static func selfDescribing(_ isListed: (Permission) -> Bool) -> [any Action.Type] {
        OperatorActions.all.filter { isListed($0.permission) }.map { $0 as any Action.Type }
    }
    private static let serveAny: [any Action.Type] = [ReadMemberStatus.self]
    private static let report: [any Action.Type] = [ReceiveReport.self]
    private static let administer: [any Action.Type] =
        [
            ReadApp.self,
            ReadProviderHasPlayers.self, ListTestDevices.self,
            BeginTestLogin.self, ReadTestLogin.self, LookUpIssuer.self,
            SetLegacySource.self, CloseLegacySource.self, ReleaseLegacyMember.self,
            TestLegacyCredential.self, PlanImport.self, BeginImport.self, ResumeImport.self, WriteImport.self,
            FinishImport.self, VerifyImport.self, UndoImport.self, ExportApp.self,
            ReadIdentityProviders.self, ListSecrets.self, CheckSecret.self,
            ExportMember.self, ExportMembers.self, ExportBans.self, ReplayErasure.self,
            ExplainLogin.self, FindRefusals.self, ListRefusals.self, SearchRefusals.self, GroupRefusals.self,
            ReadMemberStream.self, ReadMemberCard.self, PreviewLaunching.self, ListSigningKeys.self,
            ListStuckRevocations.self, ReadHandOver.self,
        ] + selfDescribing { $0 == .administer }
        + (OperatorActions.ofServer + OperatorActions.ofProviders).map { $0 as any Action.Type }
    /// What only reads, by the names of its values.
    private static let reads: [String: any UseCase] = {
        let (user, moment) = (UserID("A"), Moment(milliseconds: 0))
        let range = NumberRange(last: 1, .day, until: moment, in: AppZone(name: nil))
        return [
            "operatorNames": Read.operatorNames, "replies": Read.replies, "providerUse": Read.providerUse,
            "standing": Read.standing, "numbers(in:)": Read.numbers(in: range),
            "comparedNumbers(in:period:)": Read.comparedNumbers(in: range), "firstHour": Read.firstHour,
            "mappingConflict(of:with:at:)": Read.mappingConflict(of: user, with: .apple, at: moment),
            "banTemplates": Read.banTemplates, "bansOfTemplates": Read.bansOfTemplates,
            "banFinding(of:)": Read.banFinding(of: user), "banInForce(for:at:)": Read.banInForce(for: user, at: moment),
            "bans(of:)": Read.bans(of: user), "recentBans(from:to:limit:)": Read.recentBans(from: moment, to: moment),
            "graceBans(of:isOpen:before:after:limit:)": Read.graceBans(),
            "bans(where:before:limit:)": Read.bans(
                where: BanFilter(state: nil, template: nil, by: nil, reason: nil), before: nil, limit: 1),
            "pastMaintenance": Read.pastMaintenance, "alertReceivers": Read.alertReceivers,
            "liveSessions": Read.liveSessions, "devices(of:)": Read.devices(of: user),
            "members(on:)": Read.members(on: key),
            "comparison(of:with:)": Read.comparison(of: user, with: user),
            "memberReport(of:)": Read.memberReport(of: user),
            "members(status:after:limit:)": Read.members(),
            "members(where:from:limit:)": Read.members(where: MemberFilter(), limit: 1),
            "players(foundBy:)": Read.players(foundBy: "A"), "members(foundBy:)": Read.members(foundBy: "A"),
            "history(of:)": Read.history(of: user), "withdrawal(of:)": Read.withdrawal(of: user),
            "pendingWithdrawals(limit:)": Read.pendingWithdrawals(limit: 1),
            "completedWithdrawals(before:limit:)": Read.completedWithdrawals(before: nil, limit: 1),
            "refusal(_:)": Read.refusal("1"), "transferReport(of:)": Read.transferReport(of: user),
            "importMapping(source:options:header:)": Read.importMapping(
                source: "old", options: ImportOptions(), header: NeutralHeader(source: "old", sourceKind: "other")),
            "importRun(_:)": Read.importRun("1"), "importRuns(before:limit:)": Read.importRuns(),
            "legacySources": Read.legacySources, "importMatches": Read.importMatches,
            "state(of:)": Read.state(of: .app),
            "operatorRecord(_:)": Read.operatorRecord("1"),
            "operatorRecord(once:by:)": Read.operatorRecord(once: "1", by: OperatorID("1")),
            "operatorRecords(of:before:limit:)": Read.operatorRecords(limit: 1),
            "operatorRecords(by:among:)": Read.operatorRecords(by: [], among: 1),
            "operatorRecords(where:in:before:limit:)": Read.operatorRecords(
                where: OperatorRecordFilter(), before: nil, limit: 1),
            "chosen(for:)": Read.chosen(for: RenameApp(to: "A")),
            "lastReasons(of:)": Read.lastReasons(of: OperatorID("1")), "recordedPeople": Read.recordedPeople,
        ]
    }()
    /// Actions that concern no app; operators alone have them.
    private static let ofServer: [any ServerAction.Type] = [
        ListApps.self, ListJobs.self, ListAuditRecords.self, ListErasures.self,
        ReplayAccess.self,
        ReplayErasures.self, RecordServerEvent.self,
        ReadInvitation.self, EnrolOperator.self, SignInOperator.self, EnterAsDeveloper.self,
        ReadOperatorSession.self, ListOperatorSessions.self, EndOperatorSessions.self, SetOperatorPreferences.self,
        ChangeOperatorPassword.self, RenewOperatorFactor.self, RenewRecoveryCodes.self, ListOperators.self,
        HasNoOperators.self,
        ReadHealth.self,
        ListRecentMembers.self, CountForNavigation.self, ReadAppCards.self,
    ]

    private static let key = KeyThumbprint("phone")
    private static let claims = AccessClaims(
        app: TestCore.app, user: UserID("A"), session: SessionID("s"), provider: .guest, key: key,
        issuedAt: Moment(milliseconds: 0), expiresAt: Moment(milliseconds: 1), generation: 0)
    private static let players: [Actor.Principal] = [
        .anyone(nil), .anyone(key), .device(key, origin: "https://login.example.com"),
        .tokenHolder(RefreshToken("t"), key), .player(claims),
    ]
    private static let everyone =
        players + SecretKeyScope.allCases.map { .gameServer([$0]) } + [
            .gameServer([]), .provider(.apple), .operator, .system,
        ]

    /// Expects that an action is permitted to these actors, to operators and to the server, and refused to everybody else.
    private func expect(
        _ permission: Permission, of action: String, onlyFor permitted: (Actor.Principal) -> Bool
    ) {
        for principal in Self.everyone {
            let mayAlways = principal == .operator || principal == .system
            let refusal = denial(of: permission, to: principal)
            if mayAlways || permitted(principal) {
                #expect(refusal == nil, "\(action) is refused to \(principal)")
            } else {
                #expect(refusal?.code == .userPermission, "\(action) is permitted to \(principal)")
            }
        }
    }

    private func denial(of permission: Permission, to principal: Actor.Principal) -> Refusal? {
        do {
            try Actor(principal: principal, door: .httpAPI).require(permission)
            return nil
        } catch {
            return error as? Refusal
        }
    }

    @Test("KEY-1, KEY-2: every action is refused to every actor that lacks its permission")
    func table() {
        func expect(_ action: any Action.Type, onlyFor permitted: (Actor.Principal) -> Bool) {
            self.expect(action.permission, of: "\(action)", onlyFor: permitted)
        }
        for action in Self.play { expect(action) { Self.players.contains($0) } }
        for (scope, actions) in Self.serve {
            for action in actions { expect(action) { $0 == .gameServer([scope]) } }
        }
        for action in Self.serveAny {
            expect(action) { if case .gameServer = $0 { true } else { false } }
        }
        for action in Self.report { expect(action) { $0 == .provider(.apple) } }
        for action in Self.administer { expect(action) { _ in false } }
        for (name, read) in Self.reads { self.expect(read.permission, of: name) { _ in false } }
    }

    @Test("CON-8: an operator of a lower role than an action's is refused, and one of a higher role is not")
    func roles() {
        let actions =
            Self.play + Self.serve.values.flatMap(\.self) + Self.serveAny + Self.report + Self.administer
        let needed =
            actions.map { ("\($0)", $0.permission, Optional($0.role)) }
            + Self.reads.map { ($0.key, $0.value.permission, $0.value.roles.inApp) }
        for (name, permission, least) in needed {
            for role in OperatorRole.allCases {
                var actor = Actor(principal: .operator, door: .console, name: "kim")
                actor.role = role
                guard let least else { continue }
                let isRefused = (try? actor.require(permission, as: least)) == nil
                #expect(isRefused == (role < least), "\(name) as \(role)")
            }
        }
        // What is not there for the viewers of an app.
        #expect(
            Self.reads.compactMapValues { $0.roles.inApp }.filter { $0.value > .viewer } == [
                "alertReceivers": .operator, "chosen(for:)": .owner, "importRun(_:)": .support,
                "importRuns(before:limit:)": .support,
                "operatorRecords(where:in:before:limit:)": .support, "recordedPeople": .operator,
            ])
    }

    @Test("CON-8: an action on the whole server takes the role on the server, and none of an app counts")
    func rolesOnServer() async throws {
        for action in Self.ofServer {
            guard let least = action.role else { continue }
            for role in OperatorRole.allCases.map(Optional.some) + [nil] {
                var actor = Actor(principal: .operator, door: .console, name: "kim")
                actor.role = role
                let isRefused = (try? actor.require(.administer, as: least)) == nil
                #expect(isRefused == (role.map { $0 < least } ?? true), "\(action) as \(role?.rawValue ?? "nobody")")
            }
        }
        #expect(
            Self.reads.compactMapValues { $0.roles.onServer } == [
                "state(of:)": .viewer, "operatorRecord(_:)": .viewer, "operatorRecord(once:by:)": .viewer,
                "operatorRecords(of:before:limit:)": .owner, "operatorRecords(where:in:before:limit:)": .owner,
                "lastReasons(of:)": .viewer, "recordedPeople": .owner,
            ])
        let like = CreateAppLike(id: AppID("b"), name: "B", like: AppID("a"))
        #expect(like.permission == .administer && like.roles == OperatorRoles(inApp: nil, onServer: .owner))
        #expect(OperatorActions.ofServer.allSatisfy { $0.about.role == .owner && $0.about.isOfServer })
        #expect(!OperatorActions.all.contains { $0.about.isOfServer })
        // What needs no role is the own account, what happens before a sign-in, and the list that a page narrows.
        #expect(
            Set(Self.ofServer.filter { $0.role == nil }.map { "\($0)" }) == [
                "ListApps", "ListRecentMembers", "CountForNavigation", "ReadAppCards", "ReadInvitation",
                "EnrolOperator", "SignInOperator",
                "EnterAsDeveloper",
                "ReadOperatorSession", "ListOperatorSessions", "EndOperatorSessions", "SetOperatorPreferences",
                "ChangeOperatorPassword", "RenewOperatorFactor", "RenewRecoveryCodes", "HasNoOperators",
            ])
        try await TestCore.open { core in
            let kim = try #require(try await core.person("kim", [.app(TestCore.app): .owner]).live).person
            for role in [OperatorRole?.none, .support, .operator] {
                let actor = Actor.operator(kim, as: role)
                let call = { try await core.actions.run(ListOperators(), by: actor, at: core.clock.now) }
                #expect(await code { try await call() } == .userPermission)
            }
        }
    }

    @Test("CON-8: before it knows who asks, the console does only what leads to a sign-in, and no door gives a role")
    func visitors() async throws {
        #expect(
            Set(Self.ofServer.filter { $0.isForVisitors }.map { "\($0)" }) == [
                "ReadInvitation", "EnrolOperator", "SignInOperator", "EnterAsDeveloper", "ReadOperatorSession",
                "HasNoOperators",
            ])
        try await TestCore.open { core in
            let now = core.clock.now
            #expect(try await core.actions.run(HasNoOperators(), by: .console, at: now))
            #expect(await code { try await core.actions.run(ListApps(), by: .console, at: now) } == .userPermission)
            let disabling = DisableOperator(name: "kim")
            let server = CallContext.ofServer(moment: now)
            #expect(await code { try await core.actions.run(disabling, by: .console, in: server) } == .userPermission)
            let context = try await core.context()
            #expect(await code { try await core.actions.run(ReadApp(), by: .console, in: context) } == .userPermission)
            let nobody = Actor(principal: .operator, door: .console, name: "kim")
            #expect(await code { try await core.actions.run(ReadApp(), by: nobody, in: context) } == .userPermission)
            #expect(
                await code { try await core.actions.run(ListOperators(), by: nobody, at: now) } == .userPermission)
        }
    }

    @Test("The table has every action that is declared")
    func completeness() throws {
        let listed =
            (Self.play + Self.serve.values.flatMap(\.self) + Self.serveAny + Self.report + Self.administer)
            .map { "\($0)" } + Self.ofServer.map { "\($0)" } + ["CreateAppLike"]
        let declaration =
            /struct (\w+): (?:Action|OperatorAction|SettingsAction|MaintenanceAction|ClientRuleForm|AlertReceiverForm|PersonAction|PlayerChange|ServerAction|UseCase) \{/
        let declared = try ServerSources.matches(declaration) { _ in true }
        #expect(Set(listed).count == listed.count)
        #expect(Set(listed).symmetricDifference(declared) == [])
        #expect(try Set(Self.reads.keys).symmetricDifference(declaredReads()) == [])
    }

    /// The names of the reads that are declared, with their labels.
    private func declaredReads() throws -> [String] {
        let places = try ServerSources.matches(#/extension UseCase where Self == Read<.*> \{\n((?:    .*\n|\n)*)\}/#) {
            _ in true
        }
        return places.flatMap { body in
            body.matches(of: #/package static (?:var|func) (\w+)(?:<.*?>)?(?s:: Self|\((.*?)\) -> Self)/#).map {
                found in
                guard let parameters = found.output.2 else { return String(found.output.1) }
                let labels = parameters.matches(of: #/(?:^|,)\s*(\w+)(?: \w+)?: /#).map { "\($0.output.1):" }
                return "\(found.output.1)(\(labels.joined()))"
            }
        }
    }

    @Test("What is about an app can't be run on the server as a whole, whoever asks")
    func place() async throws {
        try await TestCore.open { core in
            for actor in [Actor.operator("mia"), Actor(principal: .system, door: .httpAPI)] {
                let nowhere = CallContext.ofServer(moment: core.clock.now)
                #expect(await code { try await core.actions.run(ReadApp(), by: actor, in: nowhere) } == .userPermission)
                #expect(
                    await code { try await core.actions.run(.members(), by: actor, in: nowhere) } == .userPermission)
                let records = try await core.actions.run(.operatorRecords(limit: 1), by: actor, in: nowhere)
                #expect(records.isEmpty)
            }
        }
    }

    @Test("A run is refused before it does or counts anything")
    func run() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.callLog.clear()
            try await core.changeLimits { $0.changesPerMinute = 1 }
            let ban = BanMembers(
                request: BanRequest(userIds: [alice.user], banType: .permanent, reason: "r", registeredBy: "n"))
            #expect(await code { try await alice.run(ban) } == .userPermission)
            #expect(await code { try await core.gameServer([.check, .erase, .profile]).run(ban) } == .userPermission)
            #expect(await code { try await core.gameServer().run(RequestWithdrawal()) } == .userPermission)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
            #expect(try await alice.run(RequestWithdrawal()).member.status == .pendingWithdrawal)
        }
    }

    @Test("An action of the whole server is an operator's")
    func serverActions() async throws {
        try await TestCore.open { core in
            for principal in Self.everyone where principal != .operator && principal != .system {
                let actor = Actor(principal: principal, door: .httpAPI)
                let refusal = await refusal { try await core.actions.run(ListApps(), by: actor, at: core.clock.now) }
                #expect(refusal?.code == .userPermission)
            }
            let apps = try await core.actions.run(ListApps(), by: .operator("mia"), at: core.clock.now)
            #expect(apps.count == 1)
        }
    }

    @Test("What an action needs beside its permission, and its door has not shown, is refused as no login")
    func missingCredentials() async throws {
        try await TestCore.open { core in
            let nobody = Caller(core: core, actor: Actor(principal: .anyone(nil), door: .httpAPI))
            #expect(
                await code { try await nobody.run(LogIn(credential: Credential(provider: .guest))) } == .notLoggedIn)
            let device = core.device("phone").caller
            #expect(await code { try await device.run(RefreshSession()) } == .notLoggedIn)
            #expect(await code { try await device.run(Withdraw()) } == .notLoggedIn)
            #expect(await code { try await device.run(SendHeartbeat()) } == .notLoggedIn)
        }
    }
}
