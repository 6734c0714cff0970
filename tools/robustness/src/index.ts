export { runCampaign, type CampaignOptions, type Round } from './campaign/run-campaign.js';
