import Foundation
import GatehouseWire
import Testing

@testable import Gamebase
@testable import Gatehouse

/// The JSON of values: the documented names, and the types that games read.
@Suite struct ValueTests {
    private func object(_ text: String) throws -> [String: JSONValue] {
        guard case .object(let members) = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else {
            throw AuthError(.invalidJSONFormat)
        }
        return members
    }

    private static let member = Member(
        appId: AppID("game"), userId: UserID("1M8T6JRKTCKBAAF6"), status: .pendingWithdrawal,
        registrationDate: 1_795_219_200_000, lastLoginDate: 1_795_219_200_001,
        mappings: [Mapping(provider: .google, subject: "alice", registrationDate: 1_795_219_200_000)],
        temporaryWithdrawal: TemporaryWithdrawal(gracePeriodDate: 1_795_824_000_000),
        graceBan: GraceBan(
            gracePeriodDate: 1_795_824_000_000, message: "결제 & 50%",
            paymentStatus: PaymentStatus(amount: 0.5, count: 1, currency: "KRW"),
            releaseRuleCondition: ReleaseRuleCondition(amount: 10, count: 2, currency: "KRW", conditionType: .or)))

    @Test("The address of an update is the install URL of Gamebase's launching information, and absent without a rule")
    func updateURL() throws {
        var information = LaunchingInformation(
            appId: AppID("game"), status: .requireUpdate, isPlayable: false, message: nil, maintenance: nil,
            providers: [:], language: "en", heartbeatSeconds: 120, serverDate: 0,
            updateURL: "https://example.com/get")
        func app() -> [String: JSONValue]? {
            guard case .object(let launching)? = information.gamebaseJSON(storeCode: "AS")["launching"],
                case .object(let app)? = launching["app"]
            else { return nil }
            return app
        }
        #expect(app()?["install"] == ["url": "https://example.com/get"])
        #expect(app()?["storeCode"] == "AS")
        information.updateURL = nil
        #expect(app()?["storeCode"] == "AS" && app()?["install"] == nil)
    }

    @Test("LOGIN-11: a token's description is JSON of the documented names, and comes back from it")
    func authToken() throws {
        let token = TCGBAuthToken(Self.member, provider: .google, accessToken: AccessToken("TOKEN"))
        let json = try object(token.description)
        #expect(json.keys.sorted() == ["member", "token"])
        #expect(json["token"] == ["accessToken": "TOKEN", "sourceIdPCode": "google"])
        let member = try #require(json["member"]?.objectValue)
        #expect(
            member.keys.sorted() == [
                "appId", "authList", "graceBan", "lastLoginDate", "regDate", "temporaryWithdrawal", "userId", "valid",
            ])
        #expect(
            member["authList"] == [
                [
                    "userId": "1M8T6JRKTCKBAAF6", "authSystem": "gbid", "idPCode": "google", "authKey": "google:alice",
                    "regDate": 1_795_219_200_000,
                ]
            ])
        #expect(member["graceBan"]?.objectValue?["message"]?.stringValue?.removingPercentEncoding == "결제 & 50%")
        #expect(try object(token.jsonString()) == json)
        #expect(try object(token.prettyJsonString()) == json)
        #expect(try object(token.JSONString()) == json)

        let regDate: Int = token.tcgbMember.regDate
        #expect(regDate == 1_795_219_200_000)
        let grace: Int? = token.tcgbMember.temporaryWithdrawal?.gracePeriodDate
        #expect(grace == 1_795_824_000_000)
        #expect(token.tcgbMember.graceBanInfo?.paymentStatus?.amount == 0.5)
        #expect(token.tcgbMember.graceBanInfo?.releaseRuleCondition?.conditionType == "OR")
        #expect(token.tcgbMember.authList?[0]["idPCode"] as? String == "google")
        #expect(token.mappingAuthList() == ["google"])
        let foundation = try #require(
            JSONSerialization.jsonObject(with: Data(token.description.utf8)) as? [String: Any])
        #expect(TCGBAuthToken.tcgbAuthToken(withJSONObject: foundation)?.tcgbMember.userId == "1M8T6JRKTCKBAAF6")
        #expect(TCGBAuthToken.tcgbAuthToken(withJSONObject: ["token": 1]) == nil)
        let withdrawal = try #require(token.tcgbMember.temporaryWithdrawal)
        #expect(withdrawal.description == #"{"gracePeriodDate":1795824000000}"#)
    }

    @Test("ERROR-1, ERROR-2: an error's description is JSON with what it carries, without secrets; it is an NSError")
    func error() throws {
        let ban = Ban(
            userId: UserID("U"), banType: .temporary, beginDate: 1, endDate: 2, message: "bye", contact: "mail",
            contactUrl: "https://example.com")
        let cause = AuthError(
            .bannedMember, message: "banned", transactionID: TransactionID("T1"),
            details: ErrorDetails(ban: ban),
            underlying: AdapterError.failed(code: 304, message: "no key hash"))
        let error = TCGBError(cause)
        let json = try object(error.description)
        #expect(json["code"] == 7)
        #expect(json["message"] == "banned")
        #expect(json["domain"] == "TCGBGamebase")
        #expect(json["transactionId"] == "T1")
        #expect(json["error"]?.objectValue?["code"] == 304)
        let extra = try object(try #require(json["extras"]?.objectValue?["ban"]?.stringValue))
        #expect(extra["banType"] == "TEMPORARY")
        #expect(extra["csUrl"] == "https://example.com")
        #expect(error.detailErrorCode() == 304)
        #expect(error.detailErrorMessage() == "no key hash")

        let thrown: any Error = error
        let caught = try #require(thrown as? TCGBError)
        #expect(TCGBErrorCode(rawValue: caught.code) == .ERROR_BANNED_MEMBER)
        #expect((thrown as NSError).code == 7)
        #expect((thrown as NSError).localizedDescription == "banned")
        let info = try #require(TCGBBanInfo.banInfo(fromError: caught))
        #expect(info.beginDate == 1)
        #expect(info.endDate == 2)
        #expect(info.dictionaryOfBanInfo()["csInfo"] as? String == "mail")

        let ticket = ForcingMappingTicket(
            userId: UserID("A"), mappedUserId: UserID("B"), mappedUserValid: .normal, provider: .google,
            forcingMappingKey: ForcingMappingKey("SECRET"), expirationDate: 9,
            mappedMember: MemberSummary(registrationDate: 1, lastLoginDate: 2, providers: [.google]))
        let conflict = TCGBError(
            AuthError(
                .authAddMappingAlreadyMappedToOtherMember,
                details: ErrorDetails(forcingMappingTicket: ticket)))
        // An engine's bridge receives only this text, and needs the key in it to force the mapping; a log receives the description.
        #expect(conflict.jsonString().contains("SECRET"))
        #expect(conflict.extras["forcingMappingTicket"]?.contains("SECRET") == true)
        #expect(!conflict.description.contains("SECRET"))
        let found = try #require(TCGBForcingMappingTicket.forcingMappingTicket(fromError: conflict))
        #expect(found.forcingMappingKey == "SECRET")
        #expect(found.mappedUserValid == "Y")
        #expect(found.expirationDate == 9)
        #expect(TCGBForcingMappingTicket.forcingMappingTicket(fromError: error) == nil)
        #expect(TCGBBanInfo.banInfo(fromError: conflict) == nil)
        #expect(TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error) == nil)
        #expect(TCGBGamebase.isSuccess(error: nil))
        #expect(!TCGBGamebase.isSuccess(error: error))
    }

    @Test(
        "A player of NHN's Gamebase who does not come has the reason and the providers, and no other refusal has them")
    func migrationFailInfo() throws {
        func error(_ reason: ErrorReason?, _ providers: [Provider]? = nil) -> TCGBError {
            TCGBError(
                AuthError(.authIDPLoginFailed, details: ErrorDetails(reason: reason, providers: providers)))
        }
        let required = error(.legacyProviderRequired, [.google, .apple])
        let info = try #require(TCGBMigrationFailInfo.migrationFailInfo(fromError: required))
        #expect(info.reason == kTCGBMigrationProviderRequired && info.providers == ["google", "appleid"])
        #expect(
            try object(info.description) == ["reason": "legacy_provider_required", "providers": ["google", "appleid"]])
        // An engine's bridge receives only this text.
        let extra = try object(required.jsonString())["extras"]?.objectValue?["failMigration"]
        #expect(extra == .string(info.jsonString()))
        for (reason, constant) in [
            (ErrorReason.legacyClaimed, kTCGBMigrationClaimed), (.legacyUnknown, kTCGBMigrationUnknown),
            (.legacyClosed, kTCGBMigrationClosed), (.legacyGuestExists, kTCGBMigrationGuestExists),
            (.legacyServerRequired, kTCGBMigrationServerRequired),
        ] {
            let info = TCGBMigrationFailInfo.migrationFailInfo(from: error(reason))
            #expect(info?.reason == constant && info?.providers == nil && info?.json.count == 1)
        }
        for reason in [ErrorReason.credentialExpired, .alreadyLoggedIn, nil] {
            #expect(TCGBMigrationFailInfo.migrationFailInfo(from: error(reason)) == nil)
            #expect(error(reason).extras.isEmpty)
        }
        #expect(TCGBMigrationFailInfo.migrationFailInfo(from: .result(code: 3_201)) == nil)
    }

    @Test("TRANSFER-2: transfer accounts say id and password in JSON, accountId and accountPassword in code")
    func transfer() throws {
        let info = TCGBTransferAccountInfo(
            TransferAccount(
                id: "123", password: "pw", issuedType: .automatic, transferAccountType: .once, registrationDate: 1,
                expiryDate: 2))
        #expect(
            try object(info.description) == [
                "issuedType": "AUTO", "account": ["id": "123", "password": "pw"],
                "condition": ["transferAccountType": "ONCE", "expirationType": "FIXED", "expirationDate": 2],
            ])
        #expect(info.account.accountId == "123")
        #expect(info.account.accountPassword == "pw")
        let manual = TCGBTransferAccountRenewConfiguration.manualRenewConfiguration(
            withAccountId: "ID", accountPassword: "PASSWORD")
        #expect(
            try object(manual.description) == [
                "renewalModeType": "MANUAL", "renewalTargetType": 1, "accountId": "ID", "accountPassword": "PASSWORD",
            ])
        #expect(manual.renewal == .manual(id: "ID", password: "PASSWORD"))
        let auto = TCGBTransferAccountRenewConfiguration.autoRenewConfiguration(
            withRenewalTarget: TCGBTransferAccountRenewalTargetTypePassword)
        #expect(auto.renewal == .automatic(.password))
    }

    @Test("LOGIN-7, LOGIN-3: a credential is what its dictionary says, and none without provider or token")
    func credentials() throws {
        let name = kTCGBAuthLoginWithCredentialProviderNameKeyname
        let token = kTCGBAuthLoginWithCredentialAccessTokenKeyname
        #expect(CredentialDictionary.credential([:]) == nil)
        #expect(CredentialDictionary.credential([name: kTCGBAuthFacebook]) == nil)
        #expect(CredentialDictionary.credential([token: "x"]) == nil)
        #expect(CredentialDictionary.credential([name: 1, token: 2]) == nil)
        let facebook = try #require(CredentialDictionary.credential([name: kTCGBAuthFacebook, token: "EAAB"]))
        #expect(facebook.accessToken == "EAAB")
        #expect(facebook.idToken == nil)
        #expect(!CredentialDictionary.ignoresCurrentLogin([name: kTCGBAuthFacebook, token: "EAAB"]))
        let idToken = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln"
        let replacing: [String: Any] = [
            name: kTCGBAuthGoogle, token: idToken,
            kTCGBAuthLoginWithCredentialIgnoreAlreadyLoggedInKeyname: NSNumber(value: true),
        ]
        let google = try #require(CredentialDictionary.credential(replacing))
        #expect(google.idToken == ProviderToken(idToken))
        #expect(CredentialDictionary.ignoresCurrentLogin(replacing))
        let line = try #require(
            CredentialDictionary.credential([
                name: kTCGBAuthLine, token: "t", kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan",
            ]))
        #expect(line.region == "japan")
        let info = AdditionalInfo([kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: "japan", "n": 1], nil)
        #expect(info.values == ["sub_code": "japan", "n": 1])
        #expect(CredentialDictionary.credential([name: kTCGBAuthGuest])?.provider == .guest)
    }

    @Test(
        "LOGIN-7: Game Center's proof is what its keys say, as the system hands it out or as text, and none without a part"
    )
    func gameCenterCredential() throws {
        let url = "https://static.gc.apple.com/public-key/gc-prod-10.cer"
        let asValues: [String: Any] = [
            kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthiOSGameCenter,
            kTCGBAuthLoginWithCredentialGameCenterPublicKeyURLKeyname: try #require(URL(string: url)),
            kTCGBAuthLoginWithCredentialGameCenterSignatureKeyname: Data([1, 2, 3]),
            kTCGBAuthLoginWithCredentialGameCenterSaltKeyname: Data([4]),
            kTCGBAuthLoginWithCredentialGameCenterTimestampKeyname: NSNumber(value: UInt64.max),
            kTCGBAuthLoginWithCredentialGameCenterPlayerIDKeyname: "A:_1",
            kTCGBAuthLoginWithCredentialGameCenterBundleIDKeyname: "com.example.game",
        ]
        let proof = GameCenterProof(
            publicKeyUrl: url, signature: "AQID", salt: "BA==", timestamp: .max, playerId: "A:_1", kind: .game,
            bundleId: "com.example.game")
        #expect(CredentialDictionary.credential(asValues)?.gameCenter == proof)
        let asText: [String: Any] = [
            "provider_name": "iosgamecenter", "public_key_url": url, "signature": "AQID", "salt": "BA==",
            "timestamp": "18446744073709551615", "player_id": "A:_1", "bundle_id": "com.example.game",
        ]
        #expect(CredentialDictionary.credential(asText)?.gameCenter == proof)
        // The dictionary of extra parameters, as plug-ins pass it on.
        let extra: [String: Any] = [
            "publicKeyUrl": url, "signature": "AQID", "salt": "BA==", "timestamp": 1, "playerId": "T:_1",
            "kind": "team", "bundleId": "com.example.game",
        ]
        let nested = CredentialDictionary.credential([
            kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthiOSGameCenter,
            kTCGBAuthLoginWithCredentialAuthExtraKeyname: extra,
        ])
        #expect(nested?.gameCenter?.kind == .team)
        for key in asText.keys where key != "bundle_id" {
            var lacking = asText
            lacking[key] = nil
            #expect(CredentialDictionary.credential(lacking) == nil, "\(key)")
        }
        for wrong in [-1, 1.5, "soon", Data()] as [Any] {
            var odd = asText
            odd["timestamp"] = wrong
            #expect(CredentialDictionary.credential(odd) == nil)
        }
    }

    @Test("Events' data comes back from its text, and odd text is nothing")
    func events() throws {
        let message = TCGBGamebaseEventMessage(
            .idPRevoked, ["code": 601, "idPType": "google", "authMappingList": ["facebook"]])
        #expect(message.category == TCGBGamebaseEventCategory.idPRevoked.rawValue)
        let data = TCGBGamebaseEventIdPRevokedData.gamebaseEventIdPRevokedData(jsonString: message.data)
        #expect(
            data.code == Int64(TCGBIdPRevokedCode.IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING.rawValue))
        #expect(data.idPType == "google")
        #expect(data.authMappingList == ["facebook"])
        for text in ["", "[]", "{", "null", nil] {
            #expect(TCGBGamebaseEventObserverData.gamebaseEventObserverData(jsonString: text).code == 0)
        }
        let json: [String: Any] = ["launching": ["user": ["testDevice": ["matchingFlag": true]]]]
        let found = TCGBUtil.extractValue(fromJson: json, searchString: "launching.user.testDevice") as? [String: Any]
        #expect(found?["matchingFlag"] as? Bool == true)
        #expect(TCGBUtil.extractValue(fromJson: json, searchString: "launching.nothing.here") == nil)
        #expect(TCGBLaunchingStatus(LaunchingStatus(rawValue: 299)) == .IN_SERVICE)
        #expect(TCGBLaunchingStatus(LaunchingStatus(rawValue: 399)) == .INSPECTING_SERVICE)
    }

    @Test("A number of a game's dictionary keeps its value, whatever it was made of")
    func numbers() {
        let numbers: [(NSNumber, JSONValue)] = [
            (NSNumber(value: UInt64.max), .number(Double(UInt64.max))), (NSNumber(value: UInt64(7)), 7),
            (NSNumber(value: UInt64(Int64.max)), .integer(.max)), (NSNumber(value: Int64.min), .integer(.min)),
            (NSNumber(value: true), true), (NSNumber(value: 1), 1), (NSNumber(value: Int8(5)), 5),
            (NSNumber(value: 1.5), 1.5),
        ]
        for (number, expected) in numbers { #expect(JSONValue(foundation: number) == expected) }
        #expect(JSONValue(foundation: UInt64.max) == .number(Double(UInt64.max)))
    }
}
