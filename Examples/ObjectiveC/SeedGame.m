// Every Objective-C example of Gamebase's guides, as a game has them: `make apple` compiles this file. Where a guide's text does not
// compile or says the opposite of what it means, a comment says what is changed.
#import <Gamebase/Gamebase.h>

#import "TCGBConstants.h"

@interface SeedGame : UIViewController
@property (nonatomic, strong) UIViewController *topViewController;
@end

@implementation SeedGame

#pragma mark Login

- (void)automaticLogin {
    [TCGBGamebase loginForLastLoggedInProviderWithViewController:self.topViewController completion:^(TCGBAuthToken *authToken, TCGBError *error){
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"Login is succeeded.");
        } else {
            if (error.code == TCGB_ERROR_SOCKET_ERROR || error.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT) {
                NSLog(@"Retry loginForLastLoggedInProviderWithViewController:completion: or Notify to user -\n\terror[%@]", [error description]);
            } else if (error.code == TCGB_ERROR_BANNED_MEMBER) {
                TCGBBanInfo *banInfo = [TCGBBanInfo banInfoFromError:error];
                NSLog(@"%@ until %@", banInfo.message, banInfo.endDate);
            } else {
                NSLog(@"Try to login with loginWithType:viewController:completion:");
                NSString *lastLoggedInProvider = [TCGBGamebase lastLoggedInProvider];
                // The guide compares a pointer with 0.
                if (lastLoggedInProvider == nil) {
                    return;
                }
                [TCGBGamebase loginWithType:lastLoggedInProvider viewController:self.topViewController completion:^(TCGBAuthToken *authToken, TCGBError *error) {
                    if ([TCGBGamebase isSuccessWithError:error] == YES) {
                        NSLog(@"Login is succeeded.");
                    } else {
                        NSLog(@"Login is failed.");
                    }
                }];
            }
        }
    }];
}

- (void)loginFacebookButtonClick {
    [TCGBGamebase loginWithType:kTCGBAuthFacebook viewController:self.topViewController completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSString *userId = [authToken.tcgbMember userId];
            NSLog(@"%@", userId);
        }
    }];
}

- (void)loginPaycoButtonClick {
    [TCGBGamebase loginWithType:kTCGBAuthPayco viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            // The guide has a message without a selector: [authToken.tcgbMember.userId].
            NSString *userId = authToken.tcgbMember.userId;
            NSLog(@"%@", userId);
        }
    }];
}

- (void)loginLineButtonClick {
    NSDictionary *additionalInfo = @{ kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: @"japan" };
    [TCGBGamebase loginWithType:kTCGBAuthLine additionalInfo:additionalInfo viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSString *userId = [authToken.tcgbMember userId];
            NSLog(@"%@", userId);
        }
    }];
}

- (void)authLoginWithCredential {
    NSDictionary *credentialDic = @{ kTCGBAuthLoginWithCredentialProviderNameKeyname: kTCGBAuthFacebook, kTCGBAuthLoginWithCredentialAccessTokenKeyname: @"facebook's access token" };
    [TCGBGamebase loginWithCredential:credentialDic viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        // The guide uses the text as the format.
        NSLog(@"%@", [authToken description]);
    }];
}

#pragma mark Logout and withdrawal

- (void)authLogout {
    [TCGBGamebase logoutWithViewController:self.topViewController completion:^(TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"logged out");
        }
    }];
}

- (void)authWithdrawal {
    [TCGBGamebase withdrawWithViewController:self.topViewController completion:^(TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"withdrawn");
        }
    }];
}

- (void)testRequestWithdraw {
    [TCGBGamebase requestTemporaryWithdrawalWithViewController:self completion:^(TCGBTemporaryWithdrawalInfo *info, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == NO) {
            if (error.code == TCGB_ERROR_AUTH_WITHDRAW_ALREADY_TEMPORARY_WITHDRAW) {
                NSLog(@"requested before");
            } else {
                return;
            }
        }
    }];
}

- (void)testLogin {
    [TCGBGamebase loginWithType:@"appleid" viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == NO) {
            return;
        }
        if (authToken.tcgbMember.temporaryWithdrawal != nil) {
            long gradePeriod = authToken.tcgbMember.temporaryWithdrawal.gracePeriodDate;
            NSLog(@"%ld", gradePeriod);
        }
    }];
}

- (void)testCancelWithdraw {
    [TCGBGamebase cancelTemporaryWithdrawalWithViewController:self completion:^(TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == NO) {
            if (error.code == TCGB_ERROR_AUTH_WITHDRAW_NOT_TEMPORARY_WITHDRAW) {
                NSLog(@"never requested");
            } else {
                // The guide's return lacks its semicolon.
                return;
            }
        }
    }];
}

- (void)testWithdrawImmediately {
    [TCGBGamebase withdrawImmediatelyWithViewController:self completion:^(TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == NO) {
            return;
        }
    }];
}

#pragma mark Mapping

- (void)authAddMapping {
    [TCGBGamebase addMappingWithType:kTCGBAuthFacebook viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"AddMapping is succeeded.");
        } else if (error.code == TCGB_ERROR_SOCKET_ERROR || error.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT) {
            NSLog(@"Retry addMapping");
        } else if (error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER) {
            NSLog(@"Already mapped to other member");
        } else {
            NSLog(@"AddMapping Error - %@", [error description]);
        }
    }];
}

- (void)authAddMappingInRegion {
    NSDictionary *additionalInfo = @{ kTCGBAuthLoginWithCredentialLineChannelRegionKeyname: @"taiwan" };
    [TCGBGamebase addMappingWithType:kTCGBAuthLine additionalInfo:additionalInfo viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        NSLog(@"%@", [error description]);
    }];
}

- (void)authAddMappingCredential {
    UIViewController* topViewController = nil;
    NSString* facebookAccessToken = @"FACEBOOK_ACCESS_TOKEN";
    NSMutableDictionary* credentialInfo = [NSMutableDictionary dictionary];
    credentialInfo[kTCGBAuthLoginWithCredentialProviderNameKeyname] = kTCGBAuthFacebook;
    credentialInfo[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = facebookAccessToken;
    [TCGBGamebase addMappingWithCredential:credentialInfo viewController:topViewController completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"AddMapping is succeeded.");
        } else if (error.code == TCGB_ERROR_SOCKET_ERROR || error.code == TCGB_ERROR_SOCKET_RESPONSE_TIMEOUT) {
            NSLog(@"Retry addMapping");
        } else if (error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER) {
            NSLog(@"Already mapped to other member");
        } else {
            NSLog(@"AddMapping Error - %@", [error description]);
        }
    }];
}

- (void)authAddMappingForcibly {
    [TCGBGamebase addMappingWithType:kTCGBAuthFacebook viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if (error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER) {
            TCGBForcingMappingTicket* ticket = [TCGBForcingMappingTicket forcingMappingTicketFromError:error];
            [TCGBGamebase addMappingForciblyWithTicket:ticket viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
                if ([TCGBGamebase isSuccessWithError:error]) {
                    NSLog(@"Mapping success.");
                }
            }];
        }
    }];
}

- (void)authChangeLogin {
    [TCGBGamebase addMappingWithType:kTCGBAuthFacebook viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if (error.code == TCGB_ERROR_AUTH_ADD_MAPPING_ALREADY_MAPPED_TO_OTHER_MEMBER) {
            TCGBForcingMappingTicket* ticket = [TCGBForcingMappingTicket forcingMappingTicketFromError:error];
            [TCGBGamebase changeLoginWithForcingMappingTicket:ticket viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
                if ([TCGBGamebase isSuccessWithError:error]) {
                    NSLog(@"Change login successed.");
                }
            }];
        }
    }];
}

- (void)authRemoveMapping {
    [TCGBGamebase removeMappingWithType:kTCGBAuthFacebook viewController:self.topViewController completion:^(TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"removed");
        }
    }];
    NSArray* authMappingList = [TCGBGamebase authMappingList];
    NSLog(@"%lu", authMappingList.count);
}

#pragma mark Information

- (void)information {
    NSString* gamebaseUserID = [TCGBGamebase userID];
    NSString* gamebaseAccessToken = [TCGBGamebase accessToken];
    NSString* lastProviderName = [TCGBGamebase lastLoggedInProvider];
    NSLog(@"%@ %@ %@", gamebaseUserID, gamebaseAccessToken, lastProviderName);
}

- (void)errorDetails:(TCGBError *)error {
    TCGBError *tcgbError = error;
    NSInteger detailErrorCode = [error detailErrorCode];
    NSString *detailErrorMessage = [error detailErrorMessage];
    NSLog(@"TCGBError: %@ %ld %@", [tcgbError description], detailErrorCode, detailErrorMessage);
    NSError *moduleError = [tcgbError.userInfo objectForKey:NSUnderlyingErrorKey];
    NSInteger moduleErrorCode = moduleError.code;
    // The guide asks an NSError for its message.
    NSString *moduleErrorMessage = moduleError.localizedDescription;
    NSLog(@"%ld %@", moduleErrorCode, moduleErrorMessage);
}

- (void)testGraceBanInfo {
    [TCGBGamebase loginWithType:kTCGBAuthAppleID viewController:self completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        if (authToken.tcgbMember.graceBanInfo != nil) {
            TCGBGraceBanInfo *graceBanInfo = authToken.tcgbMember.graceBanInfo;
            long long gracePeriodDate = graceBanInfo.gracePeriodDate;
            NSString *message = [graceBanInfo.message stringByRemovingPercentEncoding];
            NSLog(@"%lld %@", gracePeriodDate, message);
            if (graceBanInfo.paymentStatus != nil) {
                TCGBPaymentStatus *paymentStatus = graceBanInfo.paymentStatus;
                double paymentStatusAmount = paymentStatus.amount;
                int paymentStatusCount = paymentStatus.count;
                NSLog(@"%f %d", paymentStatusAmount, paymentStatusCount);
            }
            if (graceBanInfo.releaseRuleCondition != nil) {
                TCGBReleaseRuleCondition *releaseRuleCondition = graceBanInfo.releaseRuleCondition;
                double releaseRuleConditionAmount = releaseRuleCondition.amount;
                int releaseRuleConditionCount = releaseRuleCondition.count;
                NSString *releaseRuleConditionCurrency = releaseRuleCondition.currency;
                NSString *releaseRuleConditionType = releaseRuleCondition.conditionType;
                NSLog(@"%f %d %@ %@", releaseRuleConditionAmount, releaseRuleConditionCount, releaseRuleConditionCurrency, releaseRuleConditionType);
            }
        }
    }];
}

#pragma mark Transfer

- (void)issueTransferAccount {
    [TCGBGamebase issueTransferAccountWithCompletion:^(TCGBTransferAccountInfo* transferAccount, TCGBError *error) {
        NSLog(@"Issued TransferAccount => %@, error => %@", [transferAccount description], [error description]);
    }];
}

- (void)queryTransferAccount {
    [TCGBGamebase queryTransferAccountWithCompletion:^(TCGBTransferAccountInfo* transferAccount, TCGBError *error) {
        NSLog(@"Published TransferAccount => %@, error => %@", [transferAccount description], [error description]);
    }];
}

- (void)renewTransferAccount {
    TCGBTransferAccountRenewalTargetType renewalTargetType = TCGBTransferAccountRenewalTargetTypeIdPassword;
    TCGBTransferAccountRenewConfiguration* autoConfig = [TCGBTransferAccountRenewConfiguration autoRenewConfigurationWithRenewalTarget:renewalTargetType];
    TCGBTransferAccountRenewConfiguration* manualConfig = [TCGBTransferAccountRenewConfiguration manualRenewConfigurationWithAccountId:@"ID" accountPassword:@"PASSWORD"];
    NSLog(@"%@", manualConfig.accountId);
    [TCGBGamebase renewTransferAccountWithConfiguration:autoConfig completion:^(TCGBTransferAccountInfo *transferAccount, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error]) {
            NSString* accountId = transferAccount.account.accountId;
            NSString* accountPw = transferAccount.account.accountPassword;
            NSLog(@"%@ %@", accountId, accountPw);
        }
    }];
}

- (void)transferOtherDevice {
    [TCGBGamebase transferAccountWithIdPLoginWithAccountId:@"1Aie0198" accountPassword:@"1Aie0199" completion:^(TCGBAuthToken* authToken, TCGBError* error) {
        if (error.code == TCGB_ERROR_AUTH_TRANSFERACCOUNT_BLOCK) {
            TCGBTransferAccountFailInfo* failInfo = [TCGBTransferAccountFailInfo transferAccountFailInfoFrom:error];
            // The guide tests for nil where it means the opposite.
            if (failInfo != nil) {
                NSString *failedId = failInfo.accountId;
                NSInteger failCount = failInfo.failCount;
                // The guide has dateTimeIntervalSince1970:, which no NSDate has.
                NSDate *blockedDate = [NSDate dateWithTimeIntervalSince1970:(failInfo.blockEndDate / 1000.0)];
                NSLog(@"%@ %ld %@", failedId, failCount, blockedDate);
            }
        }
    }];
}

#pragma mark Players of NHN's Gamebase

// This is no example of the guides: Gamebase has no such call.
- (void)migrateWithUserId:(NSString *)userId accessToken:(NSString *)accessToken {
    [TCGBGamebase migrateWithUserId:userId accessToken:accessToken completion:^(TCGBAuthToken *authToken, TCGBError *error) {
        TCGBMigrationFailInfo *info = error == nil ? nil : [TCGBMigrationFailInfo migrationFailInfoFromError:error];
        if ([info.reason isEqualToString:kTCGBMigrationProviderRequired] == YES) {
            NSLog(@"Log in with one of %@.", info.providers);
        } else if ([info.reason isEqualToString:kTCGBMigrationGuestExists] == YES) {
            [TCGBGamebase migrateWithUserId:userId accessToken:accessToken source:@"gamebase" replacingGuest:YES completion:nil];
        }
    }];
    [TCGBGamebase migrateWithAccountId:@"1Aie0198" accountPassword:@"1Aie0199" completion:nil];
    [TCGBGamebase migrateWithAccountId:@"1Aie0198" accountPassword:@"1Aie0199" source:@"gamebase" replacingGuest:NO completion:nil];
}

#pragma mark Set-up and events

- (void)initialize {
    TCGBConfiguration *configuration = [TCGBConfiguration configurationWithAppID:@"mygame" appVersion:@"1.0.0"];
    [configuration enablePopup:YES];
    [configuration enableBanPopup:YES];
    [TCGBGamebase initializeWithConfiguration:configuration completion:^(LaunchingInfo launchingData, TCGBError *error) {
        TCGBUpdateInfo *updateInfo = [TCGBUpdateInfo updateInfoFromError:error];
        NSLog(@"%@ %@", updateInfo.installUrl, updateInfo.message);
        TCGBErrorCode code = (TCGBErrorCode)error.code;
        TCGBLaunchingStatus status = [TCGBLaunching launchingStatus];
        if (code == TCGB_ERROR_LAUNCHING_UNREGISTERED_CLIENT || status == IN_SERVICE) {
            NSLog(@"%@", [TCGBLaunching launchingInformations]);
        }
    }];
    GamebaseEventHandler eventHandler = ^(TCGBGamebaseEventMessage *message) {
        if ([message.category isEqualToString:kTCGBIdPRevoked] == YES) {
            TCGBGamebaseEventIdPRevokedData *data = [TCGBGamebaseEventIdPRevokedData gamebaseEventIdPRevokedDataFromJsonString:message.data];
            if (data.code == IDP_REVOKED_REMOVE_MAPPING) {
                [TCGBGamebase removeMappingWithType:data.idPType viewController:nil completion:nil];
            }
        } else if ([message.category isEqualToString:kTCGBPurchaseUpdated] == YES) {
        }
    };
    [TCGBGamebase addEventHandler:eventHandler];
    [TCGBGamebase removeEventHandler:eventHandler];
}

- (void)utilities {
    [TCGBUtil logDebugWithFormat:@"[Game] %s %d", "text", 1];
    [TCGBUtil showAlertWithTitle:@"TITLE" message:@"MESSAGE" completion:^{
        NSLog(@"Tapped OK Button.");
    }];
    [TCGBUtil showAlertWithTitle:@"TITLE" message:@"MESSAGE"
                   positiveTitle:@"OK" positiveBlock:^(id title) { NSLog(@"%@", title); }
                   negativeTitle:@"Cancel" negativeBlock:^(id title) { NSLog(@"%@", title); }];
    NSMutableDictionary<NSString *, void (^)(UIAlertAction *)> *blocks = [NSMutableDictionary dictionary];
    void (^detailHandler)(UIAlertAction *) = ^(UIAlertAction *action) {
        NSLog(@"Detail");
    };
    [blocks setValue:detailHandler forKey:@"Detail"];
    [TCGBUtil showActionSheetWithTitle:@"TITLE" message:@"MESSAGE" blocks:blocks];
    [TCGBUtil showToastWithMessage:@"MESSAGE" length:GamebaseToastLengthLong];
    NetworkStatus status = [TCGBNetwork type];
    NSLog(@"%ld %@ %d", (long)status, [TCGBNetwork typeName], [TCGBNetwork isConnected]);
}

@end

#pragma mark What is old

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
@interface OldGame : UIViewController
@end

@implementation OldGame

- (void)informationOfTheOldestGuide {
    TCGBBanInfo* banInfo = [TCGBGamebase banInfo];
    NSString *userID = [TCGBGamebase authProviderUserIDWithIDPCode:@"facebook"];
    NSString *accessTokenOfIDP = [TCGBGamebase authProviderAccessTokenWithIDPCode:@"facebook"];
    TCGBAuthProviderProfile *providerProfile = [TCGBGamebase authProviderProfileWithIDPCode:@"facebook"];
    NSLog(@"%@ %@ %@ %@", banInfo, userID, accessTokenOfIDP, providerProfile.information);
}

- (void)observersOfTheOldestSDK {
    changedStatusNotificationHandler launchingHandler = ^(NSDictionary *launchingStatus) {
        NSLog(@"%@", launchingStatus[@"code"]);
    };
    if ([TCGBLaunching addObserverOnChangedStatusNotification:launchingHandler]) {
        [TCGBLaunching removeObserverOnChangedStatusNotification:launchingHandler];
    }
    NetworkChangedHandler networkHandler = ^(NetworkStatus status) {
        NSLog(@"%ld", (long)status);
    };
    if ([TCGBNetwork addObserverOnChangedNetworkStatusWithHandler:networkHandler]) {
        [TCGBNetwork removeObserverOnChangedNetworkStatusWithHandler:networkHandler];
    }
    [TCGBUtil showToastMessage:@"TOAST MESSAGE" duration:3];
}

- (void)issueTransferKeyToTransfer {
    [TCGBGamebase issueTransferKeyWithExpiresIn:3600 completion:^(TCGBTransferKeyInfo *transferKey, TCGBError *error){
        // The guide closes a brace too early.
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"Published TransferKey => %@", [transferKey description]);
            NSString* transferKeyString = [transferKey transferKey];
            long regDat = [transferKey legDate];
            long expireDate = [transferKey expireDate];
            NSLog(@"%@ %ld %ld", transferKeyString, regDat, expireDate);
        }
    }];
}

- (void)transferGuestAccount {
    // The guide has a parenthesis too many.
    [TCGBGamebase requestTransferWithTransferKey:@"1i9eiAi7" completion:^(TCGBAuthToken *token, TCGBError *error) {
        if ([TCGBGamebase isSuccessWithError:error] == YES) {
            NSLog(@"Transfer Information > %@", [token description]);
            NSString* userID = token.tcgbMember.userId;
            NSArray* authList = token.tcgbMember.authList;
            NSLog(@"%@ %@", userID, authList);
        }
    }];
}

@end
#pragma clang diagnostic pop

#pragma mark An adapter of a game's own

@interface TCGBAuthExampleLogin : NSObject <TCGBAuthAdapterDelegate>
@end

@implementation TCGBAuthExampleLogin

- (void)loginWithSender:(id)sender target:(id<TCGBAuthAdapterDelegate>)target additionalInfo:(NSDictionary *)additionalInfo viewController:(UIViewController *)viewController completion:(void(^)(id credential, TCGBError *error))completion {
    TCGBProviderAuthToken *token = [TCGBProviderAuthToken authTokenWithAccessToken:@"TOKEN" refreshToken:nil acessTokenSecret:nil expirationTime:0];
    completion([TCGBProviderAuthCredential authCredentialWithAuthToken:token authProfile:nil authExtra:nil], nil);
}

- (void)logoutWithSender:(id)sender target:(id<TCGBAuthAdapterDelegate>)target completion:(void(^)(TCGBError *error))completion {
    completion(nil);
}

- (void)withdrawWithSender:(id)sender target:(id<TCGBAuthAdapterDelegate>)target completion:(void(^)(TCGBError *error))completion {
    completion([TCGBError resultWithCode:TCGB_ERROR_AUTH_EXTERNAL_LIBRARY_ERROR]);
}

- (NSString *)providerName {
    return @"example";
}

+ (NSString *)versionString {
    return @"1.0.0";
}

- (void)registered:(TCGBConfiguration *)configuration {
    [configuration addAuthAdapter:self];
}

@end
