// swift-format-ignore-file: NeverForceUnwrap, AlwaysUseLowerCamelCase

import Gamebase

/// Examples that use APIs which newer versions of Gamebase mark as deprecated. Calling them through this protocol avoids the warning.
public protocol OldExamples {
    func oldInformation() -> (
        ban: TCGBBanInfo?, userID: String?, accessToken: String?, profile: TCGBAuthProviderProfile?
    )
    func issueTransferKeyToTransfer()
    func transferGuestAccount()
}

/// Every example of Gamebase's iOS authentication guides, in Swift, as in a game in Swift 5. A wrong example is corrected, and a
/// comment says so. What the guides print is stored in ``log``; the result of an example goes to ``onEnd``.
public final class SeedGame: OldExamples {
    public let topViewController = UIViewController()
    public private(set) var log: [String] = []
    public var onEnd: (String) -> Void = { _ in }

    /// The players' credentials from the providers' own libraries.
    public var facebookAccessToken = ""
    /// The values that the example of a transfer to another device types in.
    public var account = (id: "", password: "")
    public var transferKey = ""

    public init() {}

    private func NSLog(_ text: String) { log.append(text) }

    private func end(_ text: String) {
        NSLog(text)
        onEnd(text)
    }

    // MARK: Login as the latest login IdP

    public func automaticLogin() {
        TCGBGamebase.loginForLastLoggedInProvider(viewController: topViewController) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                self.end("Login is succeeded.")
            } else if error?.code == TCGB_ERROR_SOCKET_ERROR || error?.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT {
                self.end("Retry or notify to user - error[\(error?.description ?? "")]")
            } else {
                self.NSLog("Try to login with loginWithType:viewController:completion:")
                // The guide continued with nil when there was none, and compared a string with 0.
                guard let lastLoggedInProvider = TCGBGamebase.lastLoggedInProvider(), !lastLoggedInProvider.isEmpty
                else { return self.end("Show the IdPs") }
                TCGBGamebase.login(type: lastLoggedInProvider, viewController: self.topViewController) {
                    authToken, error in
                    if TCGBGamebase.isSuccess(error: error) {
                        self.end("Login is succeeded.")
                    } else {
                        self.end("Login is failed.")
                    }
                }
            }
        }
    }

    // MARK: Login with IdP

    public func loginGuest() {
        TCGBGamebase.login(type: kTCGBAuthGuest, viewController: topViewController) { authToken, error in
            self.end(TCGBGamebase.isSuccess(error: error) ? authToken!.tcgbMember.userId : "\(error!)")
        }
    }

    public func loginFacebookButtonClick() {
        TCGBGamebase.login(type: kTCGBAuthFacebook, viewController: topViewController) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) == true {
                // To Login Succeeded
                let userId = authToken?.tcgbMember.userId
                self.end(userId ?? "")
            } else {
                self.end("To Login Failed \(error!.code)")
            }
        }
    }

    public func loginLineButtonClick(region: String) {
        // The guide's `@"key" : @"value"`.
        let additionalInfo: [String: Any] = [kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: region]
        TCGBGamebase.login(
            type: kTCGBAuthLine, additionalInfo: additionalInfo, viewController: topViewController
        ) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                let userId = authToken?.tcgbMember.userId
                self.end(userId ?? "")
            } else {
                self.end("To Login Failed \(error!.code)")
            }
        }
    }

    // MARK: Login with credential

    public func authLoginWithCredential() {
        let credentialDic: [String: Any] = [
            kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook,
            kTCGBAuthLoginWithCredentialAccessTokenKeyname: facebookAccessToken,
        ]
        TCGBGamebase.login(credential: credentialDic, viewController: topViewController) { authToken, error in
            // NSLog([authToken description]): a token is no format string, and must not be logged.
            self.end(authToken?.tcgbMember.userId ?? "\(error!.code)")
        }
    }

    // MARK: Logout and withdrawal

    public func authLogout() {
        TCGBGamebase.logout(viewController: topViewController) { error in
            self.end(TCGBGamebase.isSuccess(error: error) ? "To Logout Succeeded" : "To Logout Failed \(error!.code)")
        }
    }

    public func authWithdrawal() {
        TCGBGamebase.withdraw(viewController: topViewController) { error in
            self.end(
                TCGBGamebase.isSuccess(error: error) ? "To Withdrawal Succeeded" : "To Withdrawal Failed \(error!.code)"
            )
        }
    }

    // MARK: Mapping

    public func authAddMapping() {
        TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: topViewController) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                self.end("AddMapping is succeeded.")
            } else if error?.code == TCGB_ERROR_SOCKET_ERROR || error?.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT {
                self.end("Retry addMapping")
            } else if error?.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER {
                self.end("Already mapped to other member")
            } else {
                self.end("AddMapping Error - \(error!.description)")
            }
        }
    }

    public func authAddMappingCredential() {
        var credentialInfo: [String: Any] = [:]
        credentialInfo[kTCGBAuthLoginWithCredentialProviderNameKeyname] = kTCGBAuthFacebook
        credentialInfo[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = facebookAccessToken
        TCGBGamebase.addMapping(credential: credentialInfo, viewController: nil) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                self.end("AddMapping is succeeded.")
            } else if error?.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER {
                self.end("Already mapped to other member")
            } else {
                self.end("AddMapping Error - \(error!.description)")
            }
        }
    }

    public func authAddMappingForcibly() {
        TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: topViewController) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                self.end("AddMapping is succeeded.")
            } else if let error, error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER {
                self.NSLog("Already mapped to other member")
                // The guide passes the error's ticket on without a check, but it may be nil.
                guard let ticket = TCGBForcingMappingTicket.forcingMappingTicket(fromError: error) else { return }
                TCGBGamebase.addMappingForcibly(ticket: ticket, viewController: self.topViewController) {
                    authToken, error in
                    self.end(
                        TCGBGamebase.isSuccess(error: error) ? "Mapping success." : "Mapping failed. \(error!.code)")
                }
            } else {
                self.end("AddMapping Error - \(error!.description)")
            }
        }
    }

    public func authChangeLogin() {
        TCGBGamebase.addMapping(type: kTCGBAuthFacebook, viewController: topViewController) { authToken, error in
            if TCGBGamebase.isSuccess(error: error) {
                self.end("AddMapping is succeeded.")
            } else if let error, error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER {
                self.NSLog("Already mapped to other member")
                guard let ticket = TCGBForcingMappingTicket.forcingMappingTicket(fromError: error) else { return }
                TCGBGamebase.changeLogin(forcingMappingTicket: ticket, viewController: self.topViewController) {
                    authToken, error in
                    // If it fails, the login status of the previous account is maintained.
                    self.end(
                        TCGBGamebase.isSuccess(error: error)
                            ? "Change login succeeded." : "Change login failed. \(error!.code)")
                }
            } else {
                self.end("AddMapping Error - \(error!.description)")
            }
        }
    }

    public func authRemoveMapping() {
        TCGBGamebase.removeMapping(type: kTCGBAuthFacebook, viewController: topViewController) { error in
            self.end(
                TCGBGamebase.isSuccess(error: error)
                    ? "To Remove Mapping Succeeded" : "To Remove Mapping Failed cause of the error \(error!.code)")
        }
    }

    public func authMappingList() -> [String] {
        // Obtaining Names of Mapping IdPs
        TCGBGamebase.authMappingList() ?? []
    }

    // MARK: Gamebase user's information

    public func information() -> [String?] {
        [
            // Obtaining Gamebase UserID
            TCGBGamebase.userID(),
            // Obtaining Gamebase AccessToken
            TCGBGamebase.accessToken(),
            // Obtaining Last Logged In Provider
            TCGBGamebase.lastLoggedInProvider(),
        ]
    }

    /// Calls that only the oldest guide has.
    @available(*, deprecated)
    public func oldInformation() -> (
        ban: TCGBBanInfo?, userID: String?, accessToken: String?, profile: TCGBAuthProviderProfile?
    ) {
        (
            // Obtaining Ban Information
            TCGBGamebase.banInfo(),
            // Obtaining Facebook UserID
            TCGBGamebase.authProviderUserID(idPCode: "facebook"),
            // Obtaining Facebook AccessToken
            TCGBGamebase.authProviderAccessToken(idPCode: "facebook"),
            // Obtaining Facebook Profile
            TCGBGamebase.authProviderProfile(idPCode: "facebook")
        )
    }

    // MARK: TransferAccount

    public func issueTransferAccount() {
        TCGBGamebase.issueTransferAccount { transferAccount, error in
            self.end(
                "Issued TransferAccount => \(transferAccount?.description ?? ""), error => \(error?.description ?? "")")
            self.account = (
                transferAccount?.account.accountId ?? "", transferAccount?.account.accountPassword ?? ""
            )
        }
    }

    public func queryTransferAccount() {
        TCGBGamebase.queryTransferAccount { transferAccount, error in
            self.end(
                "Published TransferAccount => \(transferAccount?.description ?? ""), error => \(error?.description ?? "")"
            )
        }
    }

    public func renewTransferAccount(manually: Bool) {
        // If you want renew the account automatically, use this config.
        let renewalTargetType = TCGBTransferAccountRenewalTargetTypeIdPassword
        let autoConfig = TCGBTransferAccountRenewConfiguration.autoRenewConfiguration(renewalTarget: renewalTargetType)
        // If you want renew the account manually, use this config. The guide's "ID" and "PASSWORD" satisfy no policy.
        let manualConfig = TCGBTransferAccountRenewConfiguration.manualRenewConfiguration(
            accountId: "123412341234", accountPassword: "aB3aB3aB3x")
        TCGBGamebase.renewTransferAccount(configuration: manually ? manualConfig : autoConfig) {
            transferAccount, error in
            if TCGBGamebase.isSuccess(error: error), let account = transferAccount?.account {
                self.account = (account.accountId, account.accountPassword ?? "")
                self.end("Renewing TransferAccount success.")
            } else {
                self.end("Renewing TransferAccount failed. \(error!.code)")
            }
        }
    }

    public func transferOtherDevice() {
        TCGBGamebase.transferAccountWithIdPLogin(accountId: account.id, accountPassword: account.password) {
            authToken, error in
            // The guide looked for the block only when there was none, and took every other failure for a success.
            guard let error else { return self.end("Transfering Account success. \(authToken!.tcgbMember.userId)") }
            guard error.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK,
                let failInfo = TCGBTransferAccountFailInfo.transferAccountFailInfo(from: error)
            else { return self.end("Transfering Account failed by another reason. \(error.code)") }
            let failedId = failInfo.accountId
            let failCount = failInfo.failCount
            let blockedDate = Date(timeIntervalSince1970: Double(failInfo.blockEndDate) / 1000.0)
            self.end("Transfering Account failed. \(failedId) \(failCount) \(blockedDate > Date())")
        }
    }

    // MARK: TransferKey (SDK 1.x)

    @available(*, deprecated)
    public func issueTransferKeyToTransfer() {
        TCGBGamebase.issueTransferKey(expiresIn: 3600) { transferKey, error in
            // The guide's first brace closed too early.
            if TCGBGamebase.isSuccess(error: error), let transferKey {
                self.NSLog("Published TransferKey => \(transferKey.description)")
                let transferKeyString = transferKey.transferKey
                let regDate = transferKey.legDate
                let expireDate = transferKey.expireDate
                self.transferKey = transferKeyString
                self.end("\(transferKeyString.count) \(expireDate - regDate)")
            } else {
                self.end("Issue TranferKey Occur Error => \(error!.description)")
            }
        }
    }

    @available(*, deprecated)
    public func transferGuestAccount() {
        TCGBGamebase.requestTransfer(transferKey: transferKey) { token, error in
            if TCGBGamebase.isSuccess(error: error), let token {
                let userID = token.tcgbMember.userId
                let authList = token.tcgbMember.authList
                self.end("\(userID) \((authList ?? []).map(\.idPCode))")
            } else {
                self.end("Transfer Occur Error => \(error!.code)")
            }
        }
    }

    // MARK: TemporaryWithdrawal

    public func testRequestWithdraw() {
        TCGBGamebase.requestTemporaryWithdrawal(viewController: topViewController) { info, error in
            if TCGBGamebase.isSuccess(error: error) == false {
                if error?.code == TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW {
                    return self.end("Already requested temporary withdrawal before.")
                } else {
                    return self.end("Request temporary withdrawal failed.")
                }
            }
            self.end("Request temporary withdrawal success. \(info!.gracePeriodDate)")
        }
    }

    public func testLogin() {
        TCGBGamebase.login(type: "appleid", viewController: topViewController) { authToken, error in
            guard TCGBGamebase.isSuccess(error: error), let authToken else { return self.end("Login failed") }
            // Check if user is requesting withdrawal
            if let withdrawal = authToken.tcgbMember.temporaryWithdrawal {
                // User is under temporary withdrawal
                let gradePeriod = withdrawal.gracePeriodDate
                self.end("under temporary withdrawal \(gradePeriod)")
            } else {
                self.end("Login Success")
            }
        }
    }

    public func testCancelWithdraw() {
        TCGBGamebase.cancelTemporaryWithdrawal(viewController: topViewController) { error in
            if TCGBGamebase.isSuccess(error: error) == false {
                if error?.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW {
                    return self.end("Never requested temporary withdrawal before.")
                } else {
                    return self.end("Cancel temporary withdrawal failed.")
                }
            }
            self.end("Cancel temporary withdrawal success.")
        }
    }

    public func testWithdrawImmediately() {
        TCGBGamebase.withdrawImmediately(viewController: topViewController) { error in
            if TCGBGamebase.isSuccess(error: error) == false { return self.end("withdraw failed.") }
            self.end("Withdraw success.")
        }
    }

    // MARK: GraceBan

    public func testGraceBanInfo() {
        TCGBGamebase.login(type: kTCGBAuthAppleID, viewController: topViewController) { authToken, error in
            guard TCGBGamebase.isSuccess(error: error), let authToken else { return self.end("Login failed") }
            // Check if user is under grace ban
            guard let graceBanInfo = authToken.tcgbMember.graceBanInfo else { return self.end("Login Success") }
            // gracePeriodDate : epoch time in milliseconds
            let gracePeriodDate: Int64 = graceBanInfo.gracePeriodDate
            let message = graceBanInfo.message.removingPercentEncoding
            var words = ["\(gracePeriodDate)", message ?? ""]
            if let paymentStatus = graceBanInfo.paymentStatus {
                let paymentStatusAmount: Double = paymentStatus.amount
                let paymentStatusCount: Int32 = paymentStatus.count
                words += ["\(paymentStatusAmount)", "\(paymentStatusCount)"]
            }
            if let releaseRuleCondition = graceBanInfo.releaseRuleCondition {
                let amount: Double = releaseRuleCondition.amount
                let count: Int32 = releaseRuleCondition.count
                let currency: String = releaseRuleCondition.currency
                // condition type : "AND", "OR"
                let type: String = releaseRuleCondition.conditionType
                words += ["\(amount)", "\(count)", currency, type]
            }
            // Guide the user through the UI how to finish the grace ban status.
            self.end(words.joined(separator: " "))
        }
    }

    // MARK: Errors of external libraries

    public func detailOfError(_ error: TCGBError) -> (code: Int, message: String?) {
        let detailErrorCode = error.detailErrorCode()
        let detailErrorMessage = error.detailErrorMessage()
        NSLog("TCGBError: \(error.description)")
        return (detailErrorCode, detailErrorMessage)
    }

    /// The oldest guide's way to get the same.
    public func moduleError(of tcgbError: TCGBError) -> (code: Int, message: String)? {
        guard let moduleError = tcgbError.userInfo[NSUnderlyingErrorKey] as? NSError else { return nil }
        // An NSError has no `message`.
        return (moduleError.code, moduleError.localizedDescription)
    }
}
